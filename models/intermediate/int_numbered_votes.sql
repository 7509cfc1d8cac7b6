{{ config(materialized='table') }}

with

votes as (

    select * from {{ ref('dissent', 'int_votes') }}

),

items as (

    select * from {{ ref('dissent', 'int_voted_items') }}

),

annotator_groups as (

    select * from {{ ref('dissent', 'int_annotator_groups') }}

)

-- Numbers are grouped and joined in half the time that texts take, and single votes are read often.
select
    items.item_number,
    annotator_groups.annotator_number,
    votes.label,
    votes.weight
from votes
inner join items
    on votes.dataset_id = items.dataset_id
    and votes.item_id = items.item_id
inner join annotator_groups
    on votes.dataset_id = annotator_groups.dataset_id
    and votes.annotator_id = annotator_groups.annotator_id
