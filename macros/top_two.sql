{# top_two(votes): aggregate of the two highest values to an array, the highest first; a window over the groups that
   ranks every value takes twice the time.
   votes: a whole number. #}
{% macro top_two(votes) -%}
    {{ return(adapter.dispatch('top_two', 'dissent')(votes)) }}
{%- endmacro %}

{% macro default__top_two(votes) -%}
    max({{ votes }}, 2)
{%- endmacro %}

{% macro spark__top_two(votes) -%}
    slice(sort_array(collect_list({{ votes }}), false), 1, 2)
{%- endmacro %}

{# top_two_at(found, position): the highest (1) or second highest (2) value of what top_two made; NULL where there is
   no second one. #}
{% macro top_two_at(found, position) -%}
    {{ return(adapter.dispatch('top_two_at', 'dissent')(found, position)) }}
{%- endmacro %}

{% macro default__top_two_at(found, position) -%}
    {{ found }}[{{ position }}]
{%- endmacro %}

{% macro spark__top_two_at(found, position) -%}
    try_element_at({{ found }}, {{ position }})
{%- endmacro %}
