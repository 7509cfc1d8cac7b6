{{ config(materialized='table') }}

with

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}
    where panel = 'all'

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

)

select
    item_patterns.dataset_id,
    item_patterns.item_id,
    cast(row_number() over (order by item_patterns.dataset_id, item_patterns.item_id) as int) as item_number,
    item_patterns.majority_label,
    patterns.votes,
    patterns.labels_seen,
    patterns.dissenting_votes
from item_patterns
inner join patterns
    on item_patterns.count_pattern = patterns.count_pattern
