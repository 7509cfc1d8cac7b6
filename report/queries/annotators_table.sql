-- One row per data set and verdict on its annotators.
select
    names.dataset,
    case when checked.is_attentive then 'kept' else 'dropped' end as verdict,
    count(*) as annotators,
    sum(checked.votes)::bigint as votes,
    100.0 * sum(checked.attention_passed) / nullif(sum(checked.attention_checks), 0) as attention_accuracy_pct,
    100 * median(others.leave_one_out_agreement) as agreement_pct,
    100 * min(others.leave_one_out_agreement) as agreement_low_pct,
    100 * max(others.leave_one_out_agreement) as agreement_high_pct
from annotator_attention as checked
inner join annotators as others
    on checked.dataset_id = others.dataset_id and checked.annotator_id = others.annotator_id
inner join dataset_names as names on checked.dataset_id = names.dataset_id
where checked.attention_accuracy is not null
group by names.dataset, names.dataset_order, verdict
order by names.dataset_order, verdict desc
