{{ config(materialized='table') }}

with

fresh_raters as (

    select * from {{ ref('dissent', 'int_fresh_raters') }}

),

label_pairs as (

    select * from {{ ref('dissent', 'int_label_pairs') }}

),

vote_shares as (

    select * from {{ ref('dissent', 'vote_shares') }}

),

label_votes as (

    select
        dataset_id,
        panel,
        label,
        total_votes as item_votes,
        votes,
        count(*) as items
    from vote_shares
    -- The smallest panels have three votes, and both come from the same item.
    where votes >= 3 and total_votes >= 6
    group by dataset_id, panel, label, total_votes, votes

),

-- How often the first panel is unanimous on a label.
unanimous as (

    select
        label_votes.dataset_id,
        label_votes.panel,
        fresh_raters.raters,
        label_votes.label,
        sum(
            label_votes.items * exp(
                {{ ln_choose('label_votes.votes', 'fresh_raters.raters') }}
                - {{ ln_choose('label_votes.item_votes', 'fresh_raters.raters') }}
            )
        ) as first_unanimous
    from label_votes
    inner join fresh_raters
        on label_votes.dataset_id = fresh_raters.dataset_id
        and label_votes.panel = fresh_raters.panel
        and label_votes.item_votes >= 2 * fresh_raters.raters
        and label_votes.votes >= fresh_raters.raters
    group by label_votes.dataset_id, label_votes.panel, fresh_raters.raters, label_votes.label

),

-- For each pair of labels: the first panel is all but one on the label and one on the other; or all on the label, and
-- the second holds the other.
chances as (

    select
        label_pairs.*,
        fresh_raters.raters,
        {{ ln_choose('label_pairs.item_votes', 'fresh_raters.raters') }} as ln_first,
        {{ ln_choose('label_pairs.item_votes - fresh_raters.raters', 'fresh_raters.raters') }} as ln_second
    from label_pairs
    inner join fresh_raters
        on label_pairs.dataset_id = fresh_raters.dataset_id
        and label_pairs.panel = fresh_raters.panel
        and label_pairs.item_votes >= 2 * fresh_raters.raters
        and label_pairs.votes >= fresh_raters.raters - 1

),

paired as (

    select
        dataset_id,
        panel,
        raters,
        label,
        other_label,
        sum(items * other_votes * {{ draw_chance('votes', 'raters - 1', 'ln_first') }}) as first_one_dissent,
        sum(
            items * {{ draw_chance('votes', 'raters', 'ln_first') }}
            * (1 - {{ draw_chance('item_votes - raters - other_votes', 'raters', 'ln_second') }})
        ) as unanimous_then_other
    from chances
    group by dataset_id, panel, raters, label, other_label

)

select
    paired.dataset_id,
    paired.panel,
    paired.raters,
    sum(paired.first_one_dissent * paired.unanimous_then_other / unanimous.first_unanimous)
    / nullif(sum(paired.first_one_dissent), 0) as same_label_after_unanimous
from paired
inner join unanimous
    on paired.dataset_id = unanimous.dataset_id
    and paired.panel = unanimous.panel
    and paired.raters = unanimous.raters
    and paired.label = unanimous.label
group by paired.dataset_id, paired.panel, paired.raters
