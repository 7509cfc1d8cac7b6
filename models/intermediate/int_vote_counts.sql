{{ config(materialized='table') }}

with

votes as (

    select * from {{ ref('dissent', 'int_votes') }}

),

annotator_groups as (

    select * from {{ ref('dissent', 'int_annotator_groups') }}

),

label_counts as (

    select * from {{ ref('dissent', 'int_label_counts') }}

),

counted as (

    -- All panels at once, and who voted so: what is asked of single votes later needs no second pass over them.
    select
        votes.dataset_id,
        votes.item_id,
        votes.label,
        max(votes.true_label) as true_label,
        cast(sum(votes.weight) as bigint) as votes,
        -- An annotator without checks has failed none: kept, so that kept + dropped = all.
        cast(sum(votes.weight) filter (where not annotator_groups.is_attentive) as bigint) as dropped_votes,
        {{ collected('annotator_groups.annotator_number') }} as annotator_numbers
    from votes
    inner join annotator_groups
        on votes.dataset_id = annotator_groups.dataset_id
        and votes.annotator_id = annotator_groups.annotator_id
    group by votes.dataset_id, votes.item_id, votes.label

)

select
    dataset_id,
    item_id,
    label,
    true_label,
    votes,
    coalesce(dropped_votes, 0) as dropped_votes,
    annotator_numbers
from counted

union all

select
    dataset_id,
    item_id,
    label,
    true_label,
    votes,
    cast(0 as bigint) as dropped_votes,
    null as annotator_numbers
from label_counts
