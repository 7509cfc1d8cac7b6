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
