"""The parts of the report page: what is declared, its charts, its tables."""
