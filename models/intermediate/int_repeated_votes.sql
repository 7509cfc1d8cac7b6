{{ config(materialized='table') }}

with

votes as (

    select * from {{ ref('dissent', 'int_votes') }}

),

-- Usually none: the one aggregate over annotators and items, so that everything else can do without.
repeated as (

    select
        dataset_id,
        annotator_id,
        item_id,
        cast(sum(weight) as bigint) as own_item_votes
    from votes
    group by dataset_id, annotator_id, item_id
    having sum(weight) > 1

)

select
    votes.dataset_id,
    votes.annotator_id,
    votes.item_id,
    votes.label,
    cast(sum(votes.weight) as bigint) as own_label_votes,
    max(repeated.own_item_votes) as own_item_votes
from votes
inner join repeated
    on votes.dataset_id = repeated.dataset_id
    and votes.annotator_id = repeated.annotator_id
    and votes.item_id = repeated.item_id
group by votes.dataset_id, votes.annotator_id, votes.item_id, votes.label
