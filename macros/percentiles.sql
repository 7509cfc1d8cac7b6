{# percentiles(values, shares): aggregate that interpolates several percentiles of one column in one go, to an array;
   each percentile alone would keep and sort the column again.
   values: an expression, NULL is passed over. shares: list of numbers from 0 to 1. #}
{% macro percentiles(values, shares) -%}
    {{ return(adapter.dispatch('percentiles', 'dissent')(values, shares)) }}
{%- endmacro %}

{% macro default__percentiles(values, shares) -%}
    quantile_cont({{ values }}, [{{ shares | join(', ') }}])
{%- endmacro %}

{% macro spark__percentiles(values, shares) -%}
    percentile({{ values }}, array({{ shares | join(', ') }}))
{%- endmacro %}
