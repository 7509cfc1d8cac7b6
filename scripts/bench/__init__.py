"""Timings of the models' SQL: against numpy/pandas, polars and plain DuckDB (bench), and over growing data (scale)."""
