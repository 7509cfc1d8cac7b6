{# Natural logarithm of the gamma function for x > 0; closed forms take factorials and binomials from it.
   x: an expression. #}
{% macro ln_gamma(x) -%}
    {{ return(adapter.dispatch('ln_gamma', 'dissent')(x)) }}
{%- endmacro %}

{% macro default__ln_gamma(x) -%}
    lgamma({{ x }})
{%- endmacro %}

{# Spark has no lgamma: Lanczos' approximation (g = 7, nine terms), good to about 15 digits. #}
{% macro spark__ln_gamma(x) -%}
    {%- set terms = [
        '676.5203681218851', '-1259.1392167224028', '771.32342877765313', '-176.61502916214059',
        '12.507343278686905', '-0.13857109526572012', '9.9843695780195716e-6', '1.5056327351493116e-7',
    ] -%}
    (
        0.91893853320467274178 + (({{ x }}) - 0.5) * ln(({{ x }}) + 6.5) - (({{ x }}) + 6.5)
        + ln(cast(0.99999999999980993 as double)
            {%- for term in terms %} + cast({{ term }} as double) / (({{ x }}) + {{ loop.index0 }}){% endfor %})
    )
{%- endmacro %}

{# Natural logarithm of n choose k for 0 <= k <= n. #}
{% macro ln_choose(n, k) -%}
    ({{ ln_gamma('(' ~ n ~ ') + 1') }} - {{ ln_gamma('(' ~ k ~ ') + 1') }} - {{ ln_gamma('(' ~ n ~ ') - (' ~ k ~ ') + 1') }})
{%- endmacro %}

{# n choose k as a double, 0 where k lies outside 0 ... n. #}
{% macro choose(n, k) -%}
    case when ({{ k }}) between 0 and ({{ n }}) then exp({{ ln_choose(n, k) }}) else cast(0 as double) end
{%- endmacro %}

{# (n choose k) / exp(log_total), 0 where k > n: the chance of a draw whose ways are counted against a total. #}
{% macro draw_chance(n, k, log_total) -%}
    case when ({{ k }}) <= ({{ n }}) then exp({{ ln_choose(n, k) }} - {{ log_total }}) else 0e0 end
{%- endmacro %}
