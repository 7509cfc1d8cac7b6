{# A bound of the Wilson 95 % interval of successes / trials, in per cent, NULL where trials is 0 (Wilson 1927).
   For divided shares it answers "another draw of items", not "another panel of annotators".
   side: 'low' or 'high'. #}
{% macro wilson_pct(successes, trials, side) -%}
{%- set z = '1.959963984540054e0' -%}
{%- set p = '(1e0 * ' ~ successes ~ ' / nullif(' ~ trials ~ ', 0))' -%}
{%- set half = z ~ ' * sqrt(' ~ p ~ ' * (1 - ' ~ p ~ ') / ' ~ trials ~ ' + ' ~ z ~ ' * ' ~ z ~ ' / (4e0 * ' ~ trials ~ ' * ' ~ trials ~ '))' -%}
{%- set bound = '100 * (' ~ p ~ ' + ' ~ z ~ ' * ' ~ z ~ ' / (2e0 * ' ~ trials ~ ') ' ~ ('-' if side == 'low' else '+') ~ ' ' ~ half ~ ') / (1 + ' ~ z ~ ' * ' ~ z ~ ' / nullif(' ~ trials ~ ', 0))' -%}
{# A share of 0 or 1 lands on its own bound but for rounding: clip, NULL staying NULL. #}
case when {{ trials }} > 0 then {{ 'greatest(0.0, ' if side == 'low' else 'least(100.0, ' }}cast({{ bound }} as double)) end
{%- endmacro %}
