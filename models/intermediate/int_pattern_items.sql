{{ config(materialized='table') }}

with

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

vote_counts as (

    select * from {{ ref('dissent', 'vote_counts') }}

),

grouped as (

    select
        dataset_id,
        panel,
        majority_label,
        count_pattern,
        count(*) as items
    from item_patterns
    group by dataset_id, panel, majority_label, count_pattern

),

by_majority as (

    select
        grouped.dataset_id,
        grouped.panel,
        grouped.majority_label,
        grouped.count_pattern,
        grouped.items,
        case when patterns.majority_labels = 1 then grouped.items else 0 end as items_on_top
    from grouped
    inner join patterns
        on grouped.count_pattern = patterns.count_pattern

),

-- Each label of a tie has the item once, so that ties can also be split instead of decided by label order.
by_tied_label as (

    select
        vote_counts.dataset_id,
        vote_counts.panel,
        vote_counts.label as majority_label,
        item_patterns.count_pattern,
        cast(0 as bigint) as items,
        count(*) as items_on_top
    from item_patterns
    inner join patterns
        on item_patterns.count_pattern = patterns.count_pattern
        and patterns.majority_labels > 1
    inner join vote_counts
        on item_patterns.dataset_id = vote_counts.dataset_id
        and item_patterns.panel = vote_counts.panel
        and item_patterns.item_id = vote_counts.item_id
        and patterns.majority_votes = vote_counts.votes
    group by vote_counts.dataset_id, vote_counts.panel, vote_counts.label, item_patterns.count_pattern

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
