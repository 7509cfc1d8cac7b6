{# Whether an annotator's votes count in a panel: all, attentive or dropped. An annotator of a data set without attention
   checks is neither attentive nor dropped.
   panel: an expression; is_attentive: a boolean expression, NULL where nobody was checked. #}
{% macro is_in_panel(panel, is_attentive) -%}
(
    {{ panel }} = 'all'
    or ({{ panel }} = 'attentive' and {{ is_attentive }})
    or ({{ panel }} = 'dropped' and not {{ is_attentive }})
)
{%- endmacro %}
