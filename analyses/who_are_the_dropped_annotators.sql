-- Who are the annotators that fail the attention checks, and which items do they turn on their own?
with

dropped as (

    select
        dataset_id,
        count(*) as annotators,
        cast(sum(votes) as bigint) as votes,
        100.0 * sum(correct_votes) / sum(votes_with_true_label) as accuracy_pct,
        max(attention_accuracy) as best_attention_accuracy,
        median(median_reaction_time_ms) as median_reaction_time_ms,
        max(provenance) as provenance
    from {{ ref('dissent', 'annotator_attention') }}
    where not is_attentive
    group by dataset_id

)

select
    dropped.dataset_id,
    dropped.annotators,
    dropped.votes,
    dropped.accuracy_pct,
    dropped.best_attention_accuracy,
    dropped.median_reaction_time_ms,
    effect.rule_id,
    effect.flipped_to_divided,
    effect.flipped_to_unanimous,
    dropped.provenance
from dropped
inner join {{ ref('dissent', 'dropped_annotator_effect') }} as effect
    on dropped.dataset_id = effect.dataset_id
inner join {{ ref('dissent', 'thresholds') }} as thresholds
    on effect.rule_id = thresholds.rule_id
where thresholds.basis = 'second_label'
order by dropped.dataset_id, thresholds.sort_order
