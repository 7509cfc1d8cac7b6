-- What someone who knows DuckDB would write by hand for these tables alone: the floor the models are measured against.
-- {entries} is the folder with the Parquet of the entries.
create or replace table attention_checks as
select dataset_id, annotator_id, count(*) as attention_checks, count_if(is_passed) as attention_passed,
    100 * attention_passed >= any_value(attention_pass_pct) * attention_checks as is_attentive
from '{entries}/int_attention_checks/*.parquet' join '{entries}/datasets/*.parquet' using (dataset_id)
group by all;

create or replace table counts as
select dataset_id, item_id, label, max(true_label) as true_label, sum(weight)::bigint as votes,
    coalesce(sum(weight) filter (where not is_attentive), 0)::bigint as dropped
from '{entries}/int_votes/*.parquet' left join attention_checks using (dataset_id, annotator_id)
group by all
union all by name
select dataset_id, item_id, label, votes, 0 as dropped from '{entries}/int_label_counts/*.parquet';

create or replace table label_sets as
select dataset_id, label, row_number() over (partition by dataset_id order by label_order nulls last, label) as place,
    count(*) over (partition by dataset_id) as labels
from (select distinct dataset_id, label from counts) full join '{entries}/labels/*.parquet' using (dataset_id, label);

create or replace table panels as
select distinct dataset_id, unnest(['attentive', 'dropped']) as panel from attention_checks
union all select distinct dataset_id, 'all' from counts;

create or replace table vote_counts as
select dataset_id, panel, item_id, label,
    case panel when 'all' then counts.votes when 'dropped' then dropped else counts.votes - dropped end as votes
from counts join panels using (dataset_id)
where case panel when 'all' then counts.votes when 'dropped' then dropped else counts.votes - dropped end > 0;

create or replace table voted as
select dataset_id, panel, item_id, max(votes * 65536 - place, 2) as top, sum(votes)::bigint as votes,
    count(*) as labels_seen, count_if(votes = 1) as single_vote_labels, sum(votes * ln(votes)) as sum_votes_ln_votes,
    sum(votes * (votes - 1))::bigint as agreeing_pairs
from vote_counts join label_sets using (dataset_id, label)
group by all;

create or replace table items as
with
    listed as (
        select dataset_id, item_id, max(true_label) as true_label from counts group by all
        union all by name
        select dataset_id, item_id from '{entries}/int_declared_items/*.parquet'
        anti join counts using (dataset_id, item_id)
    ),
    sizes as (select dataset_id, any_value(labels) as labels from label_sets group by all)
select dataset_id, panel, item_id, true_label, coalesce(voted.votes, 0) as votes,
    coalesce(labels_seen, 0) as labels_seen, single_vote_labels, first.label as majority_label,
    coalesce((top[1] + 65535) // 65536, 0) as majority_votes, second.label as second_label,
    coalesce((top[2] + 65535) // 65536, 0) as second_votes,
    coalesce(voted.votes, 0) - majority_votes as dissenting_votes,
    second_votes = majority_votes and majority_votes > 0 as is_tie,
    case when voted.votes > 0 then greatest(0, ln(voted.votes) - sum_votes_ln_votes / voted.votes) end
        / ln(nullif(sizes.labels, 1)) as normalised_entropy,
    1 - agreeing_pairs / nullif(voted.votes * (voted.votes - 1), 0) as pairwise_disagreement
from listed
join panels using (dataset_id)
join sizes using (dataset_id)
left join voted using (dataset_id, panel, item_id)
left join label_sets as first on first.dataset_id = listed.dataset_id and first.place = -top[1] & 65535
left join label_sets as second on second.dataset_id = listed.dataset_id and second.place = -top[2] & 65535;

create or replace table threshold_sweep_by_label as
with
    alike as (
        select dataset_id, panel, majority_label, votes, single_vote_labels, second_votes, dissenting_votes,
            count(*) as items
        from items where votes > 0 group by all
    ),
    compared as (
        select *, votes - if(drop_single_votes, single_vote_labels, 0) as total,
            case when basis = 'off_top' then dissenting_votes - if(drop_single_votes, single_vote_labels, 0)
                when drop_single_votes and second_votes = 1 then 0 else second_votes end as other
        from alike cross join '{entries}/thresholds/*.parquet'
    ),
    judged as (
        select *, case when total > 0 then other >= min_votes and 100 * other >= min_share_pct * total end as verdict
        from compared
    )
select dataset_id, panel, rule_id, majority_label, sum(items)::bigint as items,
    coalesce(sum(items) filter (where verdict), 0)::bigint as divided,
    coalesce(sum(items) filter (where not verdict), 0)::bigint as unanimous,
    coalesce(sum(items) filter (where verdict is null), 0)::bigint as no_verdict
from judged group by all;

create or replace table threshold_sweep as
select dataset_id, panel, rule_id, sum(items)::bigint as items, sum(divided)::bigint as divided,
    sum(unanimous)::bigint as unanimous, sum(no_verdict)::bigint as no_verdict
from threshold_sweep_by_label group by all;

create or replace table annotator_attention as
with voted as (
    select dataset_id, annotator_id, sum(weight)::bigint as votes,
        coalesce(sum(weight) filter (where true_label is not null), 0)::bigint as votes_with_true_label,
        coalesce(sum(weight) filter (where label = true_label), 0)::bigint as correct_votes,
        median(reaction_time_ms) filter (where reaction_time_ms > 0) as median_reaction_time_ms
    from '{entries}/int_votes/*.parquet' group by all
)
select dataset_id, annotator_id, coalesce(attention_checks, 0) as attention_checks,
    coalesce(attention_passed, 0) as attention_passed,
    case when dataset_id in (select dataset_id from attention_checks) then coalesce(is_attentive, true) end
        as is_attentive,
    coalesce(votes, 0) as votes, coalesce(votes_with_true_label, 0) as votes_with_true_label,
    coalesce(correct_votes, 0) as correct_votes, median_reaction_time_ms
from voted full join attention_checks using (dataset_id, annotator_id);
