{# One row for each whole number from low to high, both included, as a generating expression of a select list;
   none where high < low. #}
{% macro series(low, high) -%}
    {{ return(adapter.dispatch('series', 'dissent')(low, high)) }}
{%- endmacro %}

{% macro default__series(low, high) -%}
    unnest(range({{ low }}, {{ high }} + 1))
{%- endmacro %}

{% macro spark__series(low, high) -%}
    explode(case when {{ low }} <= {{ high }} then sequence({{ low }}, {{ high }}) else array() end)
{%- endmacro %}
