{{ config(materialized='table') }}

with

item_states as (

    select * from {{ ref('dissent', 'int_item_states') }}

)

select
    dataset_id,
    panel,
    votes,
    votes - majority_votes as dissenting_votes,
    cast(sum(items) as bigint) as items
from item_states
group by dataset_id, panel, votes, votes - majority_votes
