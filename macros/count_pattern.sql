{# A count pattern is an item's votes per label, most first, written like 48-2-1. Items with the same pattern
   share every measure that does not ask which label is which, so closed forms are computed once a pattern.

   count_pattern(votes): aggregate of the votes of one item's labels to its pattern. #}
{% macro count_pattern(votes) -%}
    {{ return(adapter.dispatch('count_pattern', 'dissent')(votes)) }}
{%- endmacro %}

{% macro default__count_pattern(votes) -%}
    array_to_string(list_reverse_sort(array_agg({{ votes }})), '-')
{%- endmacro %}

{% macro spark__count_pattern(votes) -%}
    concat_ws('-', transform(sort_array(collect_list({{ votes }}), false), x -> cast(x as string)))
{%- endmacro %}

{# explode_pattern(pattern): one row for each label of the pattern, with its votes. #}
{% macro explode_pattern(pattern) -%}
    {{ return(adapter.dispatch('explode_pattern', 'dissent')(pattern)) }}
{%- endmacro %}

{% macro default__explode_pattern(pattern) -%}
    unnest(cast(string_split({{ pattern }}, '-') as bigint[]))
{%- endmacro %}

{% macro spark__explode_pattern(pattern) -%}
    explode(cast(split({{ pattern }}, '-') as array<bigint>))
{%- endmacro %}
