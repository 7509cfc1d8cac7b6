{{ config(materialized='table') }}

with

vote_counts as (

    select * from {{ ref('dissent', 'vote_counts') }}

),

labels as (

    select * from {{ ref('dissent', 'int_labels') }}

),

items as (

    select
        vote_counts.dataset_id,
        vote_counts.panel,
        vote_counts.item_id,
        {{ ranked_labels('vote_counts.votes', 'labels.label_order') }} as ranked
    from vote_counts
    inner join labels
        on vote_counts.dataset_id = labels.dataset_id
        and vote_counts.label = labels.label
    group by vote_counts.dataset_id, vote_counts.panel, vote_counts.item_id

),

patterns as (

    select
        dataset_id,
        panel,
        item_id,
        {{ count_pattern('ranked') }} as count_pattern,
        {{ label_order_at('ranked', 1) }} as majority_order,
        {{ label_order_at('ranked', 2) }} as second_order
    from items

)

select
    patterns.dataset_id,
    patterns.panel,
    patterns.item_id,
    patterns.count_pattern,
    majority.label as majority_label,
    second.label as second_label
from patterns
inner join labels as majority
    on patterns.dataset_id = majority.dataset_id
    and patterns.majority_order = majority.label_order
left join labels as second
    on patterns.dataset_id = second.dataset_id
    and patterns.second_order = second.label_order
