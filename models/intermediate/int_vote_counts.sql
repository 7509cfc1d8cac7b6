{{ config(materialized='table') }}

with

cells as (

    select * from {{ ref('dissent', 'int_vote_cells') }}

),

items as (

    select * from {{ ref('dissent', 'int_voted_items') }}

),

label_counts as (

    select * from {{ ref('dissent', 'int_label_counts') }}

),

counted as (

    select
        item_number,
        label,
        cast(sum(votes) as bigint) as votes,
        -- An annotator without checks has failed none: kept, so that kept + dropped = all.
        cast(coalesce(sum(votes) filter (where not is_attentive), 0) as bigint) as dropped_votes
    from cells
    group by item_number, label

)

select
    items.dataset_id,
    items.item_id,
    counted.label,
    counted.item_number,
    items.true_label,
    counted.votes,
    counted.dropped_votes
from counted
inner join items
    on counted.item_number = items.item_number

union all

select
    dataset_id,
    item_id,
    label,
    cast(null as bigint) as item_number,
    true_label,
    votes,
    cast(0 as bigint) as dropped_votes
from label_counts
