with

votes as (

    select * from {{ ref('dissent', 'int_votes') }}

),

annotator_checks as (

    select * from {{ ref('dissent', 'int_annotator_checks') }}

)

select
    votes.dataset_id,
    votes.vote_id,
    votes.item_id,
    votes.annotator_id,
    votes.label,
    votes.weight,
    votes.true_label,
    votes.label = votes.true_label as is_correct,
    votes.reaction_time_ms,
    annotator_checks.is_attentive
from votes
left join annotator_checks
    on votes.dataset_id = annotator_checks.dataset_id
    and votes.annotator_id = annotator_checks.annotator_id
