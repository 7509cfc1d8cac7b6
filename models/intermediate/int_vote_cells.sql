{{ config(materialized='table') }}

with

votes as (

    select * from {{ ref('dissent', 'int_numbered_votes') }}

),

annotator_groups as (

    select * from {{ ref('dissent', 'int_annotator_groups') }}

)

select
    votes.item_number,
    votes.label_order,
    annotator_groups.pass_level,
    bool_and(annotator_groups.is_attentive) as is_attentive,
    cast(sum(votes.weight) as bigint) as votes,
    cast(coalesce(sum(votes.weight) filter (where annotator_groups.is_first_half), 0) as bigint) as first_half_votes
from votes
inner join annotator_groups
    on votes.annotator_number = annotator_groups.annotator_number
group by votes.item_number, votes.label_order, annotator_groups.pass_level
