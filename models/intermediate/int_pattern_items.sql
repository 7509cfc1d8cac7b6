{{ config(materialized='table') }}

with

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

),

vote_shares as (

    select * from {{ ref('dissent', 'vote_shares') }}

),

by_majority as (

    select
        dataset_id,
        panel,
        majority_label,
        count_pattern,
        count(*) as items,
        count(*) filter (where tied_labels = 0) as items_on_top
    from item_patterns
    group by dataset_id, panel, majority_label, count_pattern

),

-- Each label of a tie has the item once, so that ties can also be split instead of decided by label order.
by_tied_label as (

    select
        vote_shares.dataset_id,
        vote_shares.panel,
        vote_shares.label as majority_label,
        item_patterns.count_pattern,
        cast(0 as bigint) as items,
        count(*) as items_on_top
    from vote_shares
    inner join item_patterns
        on vote_shares.dataset_id = item_patterns.dataset_id
        and vote_shares.panel = item_patterns.panel
        and vote_shares.item_id = item_patterns.item_id
    where vote_shares.is_tied
    group by vote_shares.dataset_id, vote_shares.panel, vote_shares.label, item_patterns.count_pattern

),

combined as (

    select * from by_majority
    union all
    select * from by_tied_label

)

select
    dataset_id,
    panel,
    majority_label,
    count_pattern,
    cast(sum(items) as bigint) as items,
    cast(sum(items_on_top) as bigint) as items_on_top
from combined
group by dataset_id, panel, majority_label, count_pattern
