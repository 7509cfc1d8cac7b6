# Sourced by .venv/bin/activate (the Makefile appends the line): dbt then works from any folder, on one database.
DBT_PROJECT_DIR="$(dirname "$VIRTUAL_ENV")"
DBT_PROFILES_DIR="$DBT_PROJECT_DIR"
DISSENT_WORK_DATABASE="${DISSENT_WORK_DATABASE:-$DBT_PROJECT_DIR/data/work.duckdb}"
DISSENT_DATABASE="${DISSENT_DATABASE:-$DBT_PROJECT_DIR/dissent.duckdb}"
export DBT_PROJECT_DIR DBT_PROFILES_DIR DISSENT_WORK_DATABASE DISSENT_DATABASE
