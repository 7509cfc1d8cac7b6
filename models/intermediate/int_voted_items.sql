{{ config(materialized='table') }}

with

vote_counts as (

    select * from {{ ref('dissent', 'int_vote_counts') }}

),

items as (

    select distinct
        dataset_id,
        item_id
    from vote_counts

)

select
    dataset_id,
    item_id,
    row_number() over (order by dataset_id, item_id) as item_number
from items
