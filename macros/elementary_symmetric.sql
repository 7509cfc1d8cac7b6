{# pattern_counts(pattern): the counts of a count pattern as an array of doubles, most first. #}
{% macro pattern_counts(pattern) -%}
    {{ return(adapter.dispatch('pattern_counts', 'dissent')(pattern)) }}
{%- endmacro %}

{% macro default__pattern_counts(pattern) -%}
    cast(string_split({{ pattern }}, '-') as double[])
{%- endmacro %}

{% macro spark__pattern_counts(pattern) -%}
    transform(split({{ pattern }}, '-'), x -> cast(x as double))
{%- endmacro %}

{# elementary_symmetric(counts): the elementary symmetric polynomials e_0, e_1, ... of an array of counts, as an array:
   e_j is the number of ways to draw j votes for j different labels.
   without(counts, position): the array without the element at a position, from 1. #}
{% macro elementary_symmetric(counts) -%}
    {{ return(adapter.dispatch('elementary_symmetric', 'dissent')(counts)) }}
{%- endmacro %}

{% macro default__elementary_symmetric(counts) -%}
    list_reduce(
        list_prepend(cast([1] as double[]), list_transform({{ counts }}, lambda c: [c])),
        lambda e, c: list_transform(
            range(1, len(e) + 2), lambda i: coalesce(e[i], 0) + c[1] * case when i > 1 then e[i - 1] else 0 end
        )
    )
{%- endmacro %}

{% macro spark__elementary_symmetric(counts) -%}
    aggregate(
        {{ counts }}, array(1D),
        (e, c) -> zip_with(concat(e, array(0D)), concat(array(0D), transform(e, x -> x * c)), (x, y) -> x + y)
    )
{%- endmacro %}

{% macro without(counts, position) -%}
    {{ return(adapter.dispatch('without', 'dissent')(counts, position)) }}
{%- endmacro %}

{% macro default__without(counts, position) -%}
    list_filter({{ counts }}, lambda c, i: i != {{ position }})
{%- endmacro %}

{% macro spark__without(counts, position) -%}
    filter({{ counts }}, (c, i) -> i != {{ position }} - 1)
{%- endmacro %}
