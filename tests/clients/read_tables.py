"""Reads every row of every table of the published file given as argument, through SQLAlchemy and duckdb-engine.

Prints, as JSON, by table: how many rows there are, the names of the Python types in each column, and the comment. It
runs in .venv-clients.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from sqlalchemy import MetaData, create_engine, select

engine = create_engine(f"duckdb:///{sys.argv[1]}", connect_args={"read_only": True})
metadata = MetaData()
metadata.reflect(engine)
tables: dict[str, dict[str, Any]] = {}
with engine.connect() as connection:
    for name, table in metadata.tables.items():
        rows = connection.execute(select(table)).fetchall()
        columns = zip(*rows, strict=True) if rows else [()] * len(table.columns)
        tables[name] = {
            "rows": len(rows),
            "columns": {
                column.name: sorted({kind.__name__ for kind in set(map(type, values))} - {"NoneType"})
                for column, values in zip(table.columns, columns, strict=True)
            },
            "comment": table.comment,
        }
print(json.dumps(tables))
