{{ config(materialized='table') }}

with

-- Usually none, which the engine sees without reading the votes.
votes as (

    select * from {{ ref('dissent', 'int_votes') }}
    where weight > 1

),

annotator_groups as (

    select * from {{ ref('dissent', 'int_annotator_groups') }}

)

select
    votes.dataset_id,
    votes.item_id,
    votes.label,
    annotator_groups.annotator_number,
    cast(sum(votes.weight - 1) as bigint) as further_votes
from votes
inner join annotator_groups
    on votes.dataset_id = annotator_groups.dataset_id
    and votes.annotator_id = annotator_groups.annotator_id
group by votes.dataset_id, votes.item_id, votes.label, annotator_groups.annotator_number
