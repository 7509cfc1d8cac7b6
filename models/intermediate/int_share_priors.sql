{{ config(materialized='table') }}

with

item_states as (

    select * from {{ ref('dissent', 'int_item_states') }}

),

half_patterns as (

    select * from {{ ref('dissent', 'int_half_patterns') }}

),

counted as (

    select
        dataset_id,
        panel,
        'all' as votes_used,
        'off_top' as basis,
        votes,
        votes - majority_votes as hits,
        items
    from item_states

    union all

    select
        dataset_id,
        panel,
        'all' as votes_used,
        'second_label' as basis,
        votes,
        second_votes as hits,
        items
    from item_states

    union all

    select
        dataset_id,
        panel,
        'first half' as votes_used,
        'off_top' as basis,
        first_votes as votes,
        first_off_top as hits,
        items
    from half_patterns

),

-- Unbiased whatever the number of votes: the share itself, and the chance that two votes on the item are both hits.
averaged as (

    select
        dataset_id,
        panel,
        votes_used,
        basis,
        cast(coalesce(sum(items) filter (where votes >= 2), 0) as bigint) as items,
        sum(items * cast(hits as double) / votes) filter (where votes >= 2)
        / sum(items) filter (where votes >= 2) as mean_share,
        sum(items * cast(hits as double) * (hits - 1) / (votes * (votes - 1))) filter (where votes >= 2)
        / sum(items) filter (where votes >= 2) as mean_pair
    from counted
    group by dataset_id, panel, votes_used, basis

),

judged as (

    select
        *,
        mean_pair - mean_share * mean_share as variance,
        case
            when items = 0 then 'no item has two votes'
            when mean_share = 0 then 'every item is unanimous'
            when 1000 * (mean_pair - mean_share * mean_share) < mean_share - mean_pair
                then 'items differ no more than chance makes them: the prior would outweigh 1,000 votes'
        end as reason
    from averaged

),

fitted as (

    select
        *,
        case when reason is null then (mean_share - mean_pair) / variance end as strength
    from judged

)

select
    dataset_id,
    panel,
    votes_used,
    basis,
    items,
    mean_share,
    mean_share * strength as prior_a,
    (1 - mean_share) * strength as prior_b,
    reason,
    -- Where items don't differ, the review queue starts from one share for all of them.
    mean_share * coalesce(strength, 1000) as base_a,
    (1 - mean_share) * coalesce(strength, 1000) as base_b
from fitted
