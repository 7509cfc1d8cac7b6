{# element_at_position(elements, position): an element of an array, from 1; NULL beyond the last. #}
{% macro element_at_position(elements, position) -%}
    {{ return(adapter.dispatch('element_at_position', 'dissent')(elements, position)) }}
{%- endmacro %}

{% macro default__element_at_position(elements, position) -%}
    {{ elements }}[{{ position }}]
{%- endmacro %}

{% macro spark__element_at_position(elements, position) -%}
    try_element_at({{ elements }}, cast({{ position }} as int))
{%- endmacro %}
