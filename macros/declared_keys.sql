{# declared_keys(): the keys and relationships of the tables that are published, a row a column of a key, from the data
   tests that hold them: primary_key and refers_to. They are known when a model runs, not when it is parsed. #}
{% macro declared_keys() %}
{% set rows = [] %}
{% if execute %}
    {% set tables = {} %}
    {% for id, node in graph.nodes.items() if node.resource_type in ['model', 'seed'] and node.config.schema == 'dissent_marts' %}
        {% do tables.update({id: node}) %}
    {% endfor %}
    {% for test in graph.nodes.values() if test.resource_type == 'test' and test.test_metadata and test.attached_node in tables %}
        {% set node = tables[test.attached_node] %}
        {# The folder says what a table answers; seeds are for reference. #}
        {% set topic = 'reference' if node.resource_type == 'seed' else (node.fqn[2] if node.fqn | length > 3 else 'other') %}
        {% set declared = test.test_metadata.kwargs %}
        {% if test.test_metadata.name == 'primary_key' %}
            {% for column in declared['columns'] %}
                {# A column that may be NULL stands in the key as coalesce(column, ...). #}
                {% set column = modules.re.sub('^coalesce\\((\\w+),.*$', '\\1', column) %}
                {% do rows.append([topic, node.alias, 'primary key', loop.index, column, none, none]) %}
            {% endfor %}
        {% elif test.test_metadata.name == 'refers_to' %}
            {% for relation in declared.relations %}
                {% set to = modules.re.findall("'(\\w+)'", relation.to)[-1] %}
                {% set name = 'to ' ~ to ~ ' by ' ~ relation.columns | join(', ') %}
                {% for column in relation.columns %}
                    {% set to_column = (relation.to_columns or relation.columns)[loop.index0] %}
                    {% do rows.append([topic, node.alias, name, loop.index, column, to, to_column]) %}
                {% endfor %}
            {% endfor %}
        {% endif %}
    {% endfor %}
{% endif %}
{# One list of values: Spark takes half a minute to plan as many selects. Its first row gives the types. #}
select *
from (
    values
    (
        cast(null as string), cast(null as string), cast(null as string), cast(null as bigint), cast(null as string),
        cast(null as string), cast(null as string)
    )
    {% for topic, table, key, position, column, to_table, to_column in rows %}
    , (
        {{ literals([topic, table, key]) | join(', ') }}, {{ position }}, {{ literals([column]) | first }},
        {{ literals([to_table, to_column]) | join(', ') if to_table else 'null, null' }}
    )
    {% endfor %}
) as declared (topic, table_name, key_name, position, column_name, to_table, to_column)
where topic is not null
{% endmacro %}
