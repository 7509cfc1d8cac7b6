"""Python around the dbt project: it lands, publishes, reports and checks; the measures are SQL."""
