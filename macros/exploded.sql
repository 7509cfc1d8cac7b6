{# One row for each element of an array, as a generating expression of a select list; none where it is NULL or empty. #}
{% macro exploded(elements) -%}
    {{ return(adapter.dispatch('exploded', 'dissent')(elements)) }}
{%- endmacro %}

{% macro default__exploded(elements) -%}
    unnest({{ elements }})
{%- endmacro %}

{% macro spark__exploded(elements) -%}
    explode({{ elements }})
{%- endmacro %}
