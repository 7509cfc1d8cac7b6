-- One row per data set, share of attention checks passed, verdict and per cent of agreement: annotators counted, so
-- that no dot is a person.
select
    names.dataset_id,
    names.dataset as part,
    case when checked.is_attentive then 'kept' else 'dropped' end as verdict,
    100 * checked.attention_accuracy as attention_accuracy_pct,
    2 * floor(50 * others.leave_one_out_agreement) + 1 as agreement_pct,
    count(*) as annotators,
    sum(checked.votes)::bigint as votes
from annotator_attention as checked
inner join annotators as others
    on checked.dataset_id = others.dataset_id and checked.annotator_id = others.annotator_id
inner join dataset_names as names on checked.dataset_id = names.dataset_id
where checked.attention_accuracy is not null and others.leave_one_out_agreement is not null
group by all
order by any_value(names.dataset_order), verdict desc, attention_accuracy_pct, agreement_pct
