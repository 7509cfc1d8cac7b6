{# Long rows of `measured_figures` from the columns of a relation.
   relation: a relation or CTE with dataset_id and panel; columns: {metric: SQL expression};
   rule, label: SQL expressions of the rule and the majority label, NULL where the metric has none. #}
{% macro figures_of(relation, columns, rule="cast(null as string)", label="cast(null as string)") %}
{% for metric, expression in columns.items() %}
select
    dataset_id,
    panel,
    {{ rule }} as rule_id,
    {{ label }} as majority_label,
    '{{ metric }}' as metric,
    cast({{ expression }} as double) as value
from {{ relation }}
{% if not loop.last %}union all{% endif %}
{% endfor %}
{% endmacro %}
