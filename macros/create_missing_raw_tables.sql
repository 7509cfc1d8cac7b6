{# Makes every declared source table that isn't there, empty, with the columns its source declares and the key that its
   primary_key test names: nothing landed is a normal state, unit tests need the relations, and the history of builds
   begins here. As a package dissent lands nothing. #}
{% macro create_missing_raw_tables() %}
    {% if execute and project_name == 'dissent' and flags.WHICH in ['build', 'run', 'test'] %}
        {% for table in graph.sources.values() | selectattr('package_name', 'equalto', 'dissent') %}
            {% set columns = [] %}
            {% for column in table.columns.values() %}
                {% do columns.append(adapter.quote(column.name) ~ ' ' ~ column.data_type) %}
            {% endfor %}
            {% for test in graph.nodes.values() if (test.test_metadata or {}).name == 'primary_key' and test.depends_on.nodes == [table.unique_id] %}
                {% do columns.append('primary key (' ~ test.test_metadata.kwargs.columns | join(', ') ~ ')') %}
            {% endfor %}
            {{ adapter.dispatch('create_raw_table', 'dissent')(table, columns | join(', ')) }}
        {% endfor %}
    {% endif %}
{% endmacro %}

{% macro default__create_raw_table(table, columns) %}
    {% if load_relation(source(table.source_name, table.name)) is none %}
        {% do adapter.create_schema(api.Relation.create(database=table.database, schema=table.schema)) %}
        {% do run_query('create table ' ~ source(table.source_name, table.name) ~ ' (' ~ columns ~ ')') %}
    {% endif %}
{% endmacro %}

{# On Spark the raw tables are the Parquet files that `scripts.land_spark` wrote. They are registered anew each time:
   the metastore then never knows other columns than the source declares, and the files stay as they are. #}
{% macro spark__create_raw_table(table, columns) %}
    {% set relation = source(table.source_name, table.name) %}
    {% set folder = env_var('DISSENT_SPARK', env_var('DBT_PROJECT_DIR', '.') ~ '/data/spark') %}
    {% do adapter.create_schema(api.Relation.create(schema=table.schema)) %}
    {% do run_query('drop table if exists ' ~ relation) %}
    {% do run_query(
        'create table ' ~ relation ~ ' (' ~ columns ~ ") using parquet location '" ~ folder ~ '/raw/' ~ table.name ~ "'"
    ) %}
{% endmacro %}
