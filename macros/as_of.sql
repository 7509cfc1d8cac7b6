{# The day forecasts are judged on, as YYYY-MM-DD: the day of the run, or the variable as_of. #}
{% macro as_of() -%}
    {{ var('as_of', run_started_at.strftime('%Y-%m-%d')) }}
{%- endmacro %}
