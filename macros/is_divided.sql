{# Whether a rule of the thresholds calls an item divided, NULL where single votes are dropped and nothing is left.
   Inclusive, and on integers: 1 - 9/10 >= 0.1 is false in double precision.
   counts: relation with the item's votes, dissenting_votes, second_votes and single_vote_labels; rule: relation with
   the columns of the seed. #}
{% macro is_divided(counts, rule) -%}
{%- set singles = 'case when ' ~ rule ~ '.drop_single_votes then ' ~ counts ~ '.single_vote_labels else 0 end' -%}
{%- set total = '(' ~ counts ~ '.votes - ' ~ singles ~ ')' -%}
{%- set off_top = counts ~ '.dissenting_votes - ' ~ singles -%}
{%- set second = 'case when ' ~ rule ~ '.drop_single_votes and ' ~ counts ~ '.second_votes = 1 then 0 else ' ~ counts ~ '.second_votes end' -%}
{%- set other = "case when " ~ rule ~ ".basis = 'off_top' then " ~ off_top ~ ' else ' ~ second ~ ' end' -%}
case
    when {{ total }} > 0
        then {{ other }} >= {{ rule }}.min_votes and 100 * {{ other }} >= {{ rule }}.min_share_pct * {{ total }}
end
{%- endmacro %}
