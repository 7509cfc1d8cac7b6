{# dbt's own test on the right relation: see tested_relation. #}
{% test relationships(model, column_name, to, field) %}
{{ default__test_relationships(dissent.tested_relation(model), column_name, to, field) }}
{% endtest %}
