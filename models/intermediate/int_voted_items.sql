{{ config(materialized='table') }}

with

votes as (

    select * from {{ ref('dissent', 'int_votes') }}

),

items as (

    select
        dataset_id,
        item_id,
        max(true_label) as true_label
    from votes
    group by dataset_id, item_id

)

select
    dataset_id,
    item_id,
    true_label,
    row_number() over (order by dataset_id, item_id) as item_number
from items
