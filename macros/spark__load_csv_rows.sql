{# dbt-spark's session method puts seed values into quotes as they are: a quote in a text breaks the statement, and
   an empty cell becomes the text None. This one, which dbt prefers to the adapter's own, writes proper literals. #}
{% macro spark__load_csv_rows(model, agate_table) %}
    {% set types = model['config'].get('column_types', {}) %}
    {% for rows in agate_table.rows | batch(get_batch_size()) %}
        {% set tuples = [] %}
        {% for row in rows %}
            {% set cells = [] %}
            {% for name in agate_table.column_names %}
                {% set value = row[loop.index0] %}
                {% set type = types.get(name, adapter.convert_type(agate_table, loop.index0)) %}
                {% set literal = 'null' if value is none else "'" ~ value | string | replace('\\', '\\\\') | replace("'", "\\'") ~ "'" %}
                {% do cells.append('cast(' ~ literal ~ ' as ' ~ type ~ ')') %}
            {% endfor %}
            {% do tuples.append('(' ~ cells | join(', ') ~ ')') %}
        {% endfor %}
        {% do adapter.add_query('insert into ' ~ this ~ ' values ' ~ tuples | join(', '), abridge_sql_log=True) %}
    {% endfor %}
    {{ return('-- ' ~ agate_table.rows | length ~ ' rows') }}
{% endmacro %}
