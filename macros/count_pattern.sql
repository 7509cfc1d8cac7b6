{# A count pattern is an item's votes per label, most first, written like 48-2-1. Items with the same pattern
   share every measure that does not ask which label is which, so closed forms are computed once a pattern.

   ranked_labels(votes, label_order): aggregate of an item's labels to one array, most voted first, ties by label
   order. One number stands for a label, votes x 2^20 - label order: that takes half the memory of (votes, label)
   pairs, and a third of the time of a window over all items and labels. #}
{% macro ranked_labels(votes, label_order) -%}
    {{ return(adapter.dispatch('ranked_labels', 'dissent')(votes, label_order)) }}
{%- endmacro %}

{% macro default__ranked_labels(votes, label_order) -%}
    list_reverse_sort(array_agg({{ votes }} * 1048576 - {{ label_order }}))
{%- endmacro %}

{% macro spark__ranked_labels(votes, label_order) -%}
    sort_array(collect_list({{ votes }} * 1048576 - {{ label_order }}), false)
{%- endmacro %}

{# label_order_at(ranked, position): the label order at a position, from 1, of what ranked_labels made; NULL beyond
   the last. #}
{% macro label_order_at(ranked, position) -%}
    {{ return(adapter.dispatch('label_order_at', 'dissent')(ranked, position)) }}
{%- endmacro %}

{% macro default__label_order_at(ranked, position) -%}
    -{{ ranked }}[{{ position }}] & 1048575
{%- endmacro %}

{% macro spark__label_order_at(ranked, position) -%}
    -try_element_at({{ ranked }}, {{ position }}) & 1048575
{%- endmacro %}

{# count_pattern(ranked): the pattern of what ranked_labels made. #}
{% macro count_pattern(ranked) -%}
    {{ return(adapter.dispatch('count_pattern', 'dissent')(ranked)) }}
{%- endmacro %}

{% macro default__count_pattern(ranked) -%}
    array_to_string(list_transform({{ ranked }}, lambda x: (x + 1048575) // 1048576), '-')
{%- endmacro %}

{% macro spark__count_pattern(ranked) -%}
    concat_ws('-', transform({{ ranked }}, x -> cast((x + 1048575) div 1048576 as string)))
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
