{{ config(materialized='table') }}

with

fresh_raters as (

    select * from {{ ref('dissent', 'int_fresh_raters') }}

),

pattern_items as (

    select * from {{ ref('dissent', 'int_pattern_items') }}

),

pattern_labels as (

    select * from {{ ref('dissent', 'int_pattern_labels') }}

),

wanted as (

    select distinct
        pattern_items.count_pattern,
        fresh_raters.raters
    from pattern_items
    inner join fresh_raters
        on pattern_items.dataset_id = fresh_raters.dataset_id
        and pattern_items.panel = fresh_raters.panel

),

-- n votes on the item, v on the label, m in each panel. The first panel is drawn from n, the second from n - m.
cells as (

    select
        wanted.count_pattern,
        wanted.raters as m,
        pattern_labels.item_votes as n,
        pattern_labels.votes as v,
        pattern_labels.labels,
        {{ ln_choose('pattern_labels.item_votes', 'wanted.raters') }} as ln_first,
        {{ ln_choose('pattern_labels.item_votes - wanted.raters', 'wanted.raters') }} as ln_second
    from wanted
    inner join pattern_labels
        on wanted.count_pattern = pattern_labels.count_pattern
    where pattern_labels.item_votes >= 2 * wanted.raters

),

chances as (

    select
        count_pattern,
        m,
        n,
        v,
        labels,
        -- The first panel: all on this label; all but one on it, for each vote on another.
        {{ draw_chance('v', 'm', 'ln_first') }} as first_all,
        {{ draw_chance('v', 'm - 1', 'ln_first') }} as first_but_one,
        -- The second panel all on this label, after the first took none, one, all but one or all of its votes from it.
        {{ draw_chance('v', 'm', 'ln_second') }} as second_all,
        {{ draw_chance('v - 1', 'm', 'ln_second') }} as second_after_one,
        case
            when v >= m - 1 then {{ draw_chance('v - m + 1', 'm', 'ln_second') }} else 0e0
        end as second_after_but_one,
        case when v >= m then {{ draw_chance('v - m', 'm', 'ln_second') }} else 0e0 end as second_after_all,
        -- The second panel holds this label again, after the first took one vote of it.
        1 - {{ draw_chance('n - m - v + 1', 'm', 'ln_second') }} as holds_again
    from cells

),

totals as (

    select
        *,
        sum(labels * second_all) over by_pattern as all_second,
        sum(labels * v * (second_after_one - second_all)) over by_pattern as all_shift,
        sum(labels * v * holds_again) over by_pattern as all_again
    from chances
    window by_pattern as (partition by count_pattern, m)

)

select
    count_pattern,
    m as raters,
    sum(labels * first_all) as first_unanimous,
    sum(labels * first_but_one * (n - v)) as first_one_dissent,
    1 - max(all_second) * exp({{ ln_choose('max(n) - m', 'm') }} - {{ ln_choose('max(n)', 'm') }}) as second_divided,
    sum(labels * first_all * (1 - (all_second - second_all + second_after_all))) as unanimous_then_divided,
    sum(
        labels * first_but_one
        * (
            (n - v) * (1 - (all_second - second_all + second_after_but_one))
            - (all_shift - v * (second_after_one - second_all))
        )
    ) as one_dissent_then_divided,
    sum(labels * first_but_one * (all_again - v * holds_again)) as one_dissent_then_again
from totals
group by count_pattern, m
