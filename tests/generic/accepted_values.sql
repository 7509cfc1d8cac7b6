{# dbt's own test on the right relation: see tested_relation. #}
{% test accepted_values(model, column_name, values, quote=True) %}
{{ default__test_accepted_values(dissent.tested_relation(model), column_name, values, quote) }}
{% endtest %}
