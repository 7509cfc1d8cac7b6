{{ config(materialized='table') }}

with

votes as (

    select * from {{ ref('dissent', 'int_votes') }}

),

annotator_checks as (

    select * from {{ ref('dissent', 'int_annotator_checks') }}

),

label_counts as (

    select * from {{ ref('dissent', 'int_label_counts') }}

),

counted as (

    -- All panels at once.
    select
        votes.dataset_id,
        votes.item_id,
        votes.label,
        max(votes.true_label) as true_label,
        cast(sum(votes.weight) as bigint) as votes,
        -- An annotator without checks has failed none: kept, so that kept + dropped = all.
        cast(sum(votes.weight) filter (where not annotator_checks.is_attentive) as bigint) as dropped_votes
    from votes
    left join annotator_checks
        on votes.dataset_id = annotator_checks.dataset_id
        and votes.annotator_id = annotator_checks.annotator_id
    group by votes.dataset_id, votes.item_id, votes.label

)

select
    dataset_id,
    item_id,
    label,
    true_label,
    votes,
    coalesce(dropped_votes, 0) as dropped_votes
from counted

union all

select
    dataset_id,
    item_id,
    label,
    true_label,
    votes,
    cast(0 as bigint) as dropped_votes
from label_counts
