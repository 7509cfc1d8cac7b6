"""Entity diagrams of the published tables, as Mermaid text, from their keys and relationships."""

from __future__ import annotations

import duckdb

# In the order in which people meet them.
TOPICS = {
    "votes": "Votes",
    "rules": "Rules",
    "annotators": "Annotators",
    "measures": "Measures",
    "uncertainty": "Uncertainty",
    "profiles": "Models and profiles",
    "replication": "Published figures",
    "provenance": "Where it comes from",
    "reference": "Reference tables",
}


def diagrams(connection: duckdb.DuckDBPyConnection) -> str:
    """Markdown: a heading and an entity diagram a topic, with the tables its own refer to.

    A table shows the columns of its keys: PK for the primary key, FK for what refers to another table.
    """
    columns = connection.execute(
        """
        select topic, table_name, column_name, lower(data_type),
            bool_or(to_table is null) as is_key, bool_or(to_table is not null) as refers
        from table_keys
        inner join duckdb_columns() using (table_name, column_name)
        group by topic, table_name, column_name, data_type
        order by table_name, not is_key, min(position) filter (where to_table is null), column_name
        """
    ).fetchall()
    # Where the columns that refer are the whole primary key, there is one row at most.
    relations = connection.execute(
        """
        with keys as (
            select topic, table_name, key_name, to_table, list(column_name order by position) as columns
            from table_keys group by topic, table_name, key_name, to_table
        )
        select referring.topic, referring.table_name, referring.to_table, array_to_string(referring.columns, ', '),
            list_sort(referring.columns) = list_sort(own.columns)
        from keys as referring
        inner join keys as own on own.table_name = referring.table_name and own.to_table is null
        where referring.to_table is not null
        order by referring.table_name, referring.to_table, referring.key_name
        """
    ).fetchall()
    topics = {table: topic for topic, table, *_ in columns}
    blocks = []
    for topic in [*TOPICS, *sorted({*topics.values()} - {*TOPICS})]:
        own = {table for table, its_topic in topics.items() if its_topic == topic}
        shown = own | {to for _, table, to, *_ in relations if table in own}
        if not own:
            continue
        lines = [f"## {TOPICS.get(topic, topic)}", "", "```mermaid", "erDiagram"]
        for table in sorted(shown):
            lines.append(f"    {table} {{")
            for _, name, column, kind, is_key, refers in columns:
                # Of another topic's table only its key is shown: the rest is in its own diagram.
                if name == table and (is_key or table in own):
                    marks = [mark for mark, holds in (("PK", is_key), ("FK", refers and table in own)) if holds]
                    lines.append(f"        {kind} {column} {', '.join(marks)}")
            lines.append("    }")
        lines += [
            f'    {to} ||--o{"|" if at_most_one else "{"} {table} : "{by}"'
            for its_topic, table, to, by, at_most_one in relations
            if its_topic == topic
        ]
        blocks.append("\n".join([*lines, "```"]))
    return "\n\n".join(blocks)
