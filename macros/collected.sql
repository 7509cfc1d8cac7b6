{# Aggregate of all values to one array, in no order; see exploded for the way back. #}
{% macro collected(values) -%}
    {{ return(adapter.dispatch('collected', 'dissent')(values)) }}
{%- endmacro %}

{% macro default__collected(values) -%}
    list({{ values }})
{%- endmacro %}

{% macro spark__collected(values) -%}
    collect_list({{ values }})
{%- endmacro %}
