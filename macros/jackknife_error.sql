{# Standard error of a measure by the jackknife over items (deterministic, the same on every engine): measured holds
   the measure with one item left out, left_out the items that are alike in it; means holds its mean.
   measure: a column of both. #}
{% macro jackknife_error(measure) -%}
    sqrt(
        (max(means.items) - 1) / max(means.items)
        * sum(measured.left_out * power(measured.{{ measure }} - means.{{ measure }}, 2))
    )
{%- endmacro %}
