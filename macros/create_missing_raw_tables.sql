{# Makes every declared raw table that isn't there, empty, with the columns its source declares:
   nothing landed is a normal state, and unit tests need the relations. #}
{% macro create_missing_raw_tables() %}
    {% if execute and flags.WHICH in ['build', 'run', 'test'] %}
        {% for table in graph.sources.values() | selectattr('package_name', 'equalto', 'dissent') %}
            {% if load_relation(source(table.source_name, table.name)) is none %}
                {% do adapter.create_schema(api.Relation.create(database=table.database, schema=table.schema)) %}
                {% set columns = [] %}
                {% for column in table.columns.values() %}
                    {% do columns.append(column.name ~ ' ' ~ column.data_type) %}
                {% endfor %}
                {% do run_query('create table ' ~ source(table.source_name, table.name) ~ ' (' ~ columns | join(', ') ~ ')') %}
            {% endif %}
        {% endfor %}
    {% endif %}
{% endmacro %}
