{# Every row's key into another table is there; a key with a NULL in it refers to nothing. Several relationships in one
   query; returns the keys that are missing. They are entries of the data dictionary too: macros/declared_keys.sql.
   relations: mappings with `columns`, `to` (a ref) and, where the other table calls them differently, `to_columns`. #}
{% test refers_to(model, relations) %}
{% for relation in relations %}
select distinct
    '{{ relation.columns | join(", ") }}' as key_columns,
    concat_ws(
        ', '{% for column in relation.columns %}, cast(referring.{{ column }} as string){% endfor %}
    ) as missing_key
from {{ dissent.tested_relation(model) }} as referring
where
    {% for column in relation.columns %}
    referring.{{ column }} is not null and
    {% endfor %}
    not exists (
        select 1
        from {{ relation.to }} as referred
        where
            {% for column in relation.to_columns or relation.columns %}
            referred.{{ column }} = referring.{{ relation.columns[loop.index0] }}
            {% if not loop.last %}and{% endif %}
            {% endfor %}
    )
{% if not loop.last %}union all{% endif %}
{% endfor %}
{% endtest %}
