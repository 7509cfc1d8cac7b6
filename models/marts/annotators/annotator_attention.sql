with

voted as (

    select * from {{ ref('dissent', 'int_annotator_votes') }}

),

annotator_checks as (

    select * from {{ ref('dissent', 'int_annotator_checks') }}

),

checked_datasets as (

    select distinct dataset_id from annotator_checks

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

annotators as (

    select
        coalesce(voted.dataset_id, annotator_checks.dataset_id) as dataset_id,
        coalesce(voted.annotator_id, annotator_checks.annotator_id) as annotator_id,
        coalesce(annotator_checks.attention_checks, 0) as attention_checks,
        coalesce(annotator_checks.attention_passed, 0) as attention_passed,
        annotator_checks.is_attentive,
        coalesce(voted.votes, 0) as votes,
        coalesce(voted.votes_with_true_label, 0) as votes_with_true_label,
        coalesce(voted.correct_votes, 0) as correct_votes,
        voted.median_reaction_time_ms
    from voted
    full outer join annotator_checks
        on voted.dataset_id = annotator_checks.dataset_id
        and voted.annotator_id = annotator_checks.annotator_id

)

select
    annotators.dataset_id,
    annotators.annotator_id,
    annotators.attention_checks,
    annotators.attention_passed,
    cast(annotators.attention_passed as double) / nullif(annotators.attention_checks, 0) as attention_accuracy,
    case
        when checked_datasets.dataset_id is not null then coalesce(annotators.is_attentive, true)
    end as is_attentive,
    annotators.votes,
    annotators.votes_with_true_label,
    annotators.correct_votes,
    cast(annotators.correct_votes as double) / nullif(annotators.votes_with_true_label, 0) as accuracy,
    annotators.median_reaction_time_ms,
    provenance.provenance
from annotators
left join checked_datasets
    on annotators.dataset_id = checked_datasets.dataset_id
left join provenance
    on annotators.dataset_id = provenance.dataset_id
