with

attention as (

    select * from {{ ref('dissent', 'annotator_attention') }}

),

votes as (

    select * from {{ ref('dissent', 'int_votes') }}

),

vote_counts as (

    select * from {{ ref('dissent', 'int_vote_counts') }}

),

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}
    where panel = 'all'

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

repeated_votes as (

    select * from {{ ref('dissent', 'int_repeated_votes') }}

),

labels as (

    select * from {{ ref('dissent', 'int_labels') }}

),

cells as (

    select
        vote_counts.dataset_id,
        vote_counts.item_id,
        vote_counts.label,
        vote_counts.votes as label_votes,
        patterns.votes as item_votes,
        patterns.labels_seen,
        vote_counts.label != item_patterns.majority_label as is_dissent,
        vote_counts.label != item_patterns.majority_label and patterns.dissenting_votes = 1 as is_sole_dissent
    from vote_counts
    inner join item_patterns
        on vote_counts.dataset_id = item_patterns.dataset_id
        and vote_counts.item_id = item_patterns.item_id
    inner join patterns
        on item_patterns.count_pattern = patterns.count_pattern

),

-- What an annotator's own votes add to each count; one, where the annotator voted once on the item.
placed as (

    select
        votes.dataset_id,
        votes.annotator_id,
        votes.weight,
        case when votes.reaction_time_ms > 0 then votes.reaction_time_ms end as reaction_time_ms,
        cells.is_dissent,
        cells.is_sole_dissent,
        cells.label_votes - coalesce(repeated_votes.own_label_votes, 1) as others_on_label,
        cells.item_votes - coalesce(repeated_votes.own_item_votes, 1) as others,
        repeated_votes.item_id is null and cells.label_votes = 1 and cells.labels_seen = 2 as leaves_one_label
    from votes
    inner join cells
        on votes.dataset_id = cells.dataset_id
        and votes.item_id = cells.item_id
        and votes.label = cells.label
    left join repeated_votes
        on votes.dataset_id = repeated_votes.dataset_id
        and votes.annotator_id = repeated_votes.annotator_id
        and votes.item_id = repeated_votes.item_id
        and votes.label = repeated_votes.label

),

-- The one pass over the votes joined with the counts.
voted as (

    select
        dataset_id,
        annotator_id,
        cast(coalesce(sum(weight) filter (where others > 0), 0) as bigint) as votes_with_others,
        sum(cast(weight * others_on_label as double) / nullif(others, 0)) as agreeing_votes,
        cast(coalesce(sum(weight) filter (where is_dissent), 0) as bigint) as dissents,
        count(*) filter (where is_sole_dissent) as sole_dissents,
        count(*) filter (where leaves_one_label) as items_turned_unanimous,
        percentile_cont(0.1) within group (order by reaction_time_ms) as p10_reaction_time_ms,
        percentile_cont(0.9) within group (order by reaction_time_ms) as p90_reaction_time_ms
    from placed
    group by dataset_id, annotator_id

),

-- Items with repeats are counted once each, whatever the annotator's labels on them.
repeated_items as (

    select
        repeated_votes.dataset_id,
        repeated_votes.annotator_id,
        repeated_votes.item_id,
        max(cells.labels_seen) as labels_seen,
        count(*) filter (where repeated_votes.own_label_votes = cells.label_votes) as own_labels
    from repeated_votes
    inner join cells
        on repeated_votes.dataset_id = cells.dataset_id
        and repeated_votes.item_id = cells.item_id
        and repeated_votes.label = cells.label
    group by repeated_votes.dataset_id, repeated_votes.annotator_id, repeated_votes.item_id

),

repeated as (

    select
        dataset_id,
        annotator_id,
        count(*) filter (where labels_seen > 1 and labels_seen - own_labels = 1) as items_turned_unanimous
    from repeated_items
    group by dataset_id, annotator_id

),

by_label as (

    select
        dataset_id,
        annotator_id,
        label,
        cast(sum(weight) as bigint) as votes
    from votes
    group by dataset_id, annotator_id, label

),

ranked as (

    select
        by_label.*,
        row_number() over (
            partition by by_label.dataset_id, by_label.annotator_id
            order by by_label.votes desc, labels.label_order asc
        ) as label_rank
    from by_label
    inner join labels
        on by_label.dataset_id = labels.dataset_id
        and by_label.label = labels.label

)

select
    attention.dataset_id,
    attention.annotator_id,
    {{ wilson_pct('attention.attention_passed', 'attention.attention_checks', 'low') }} as attention_accuracy_pct_low,
    {{ wilson_pct('attention.attention_passed', 'attention.attention_checks', 'high') }} as attention_accuracy_pct_high,
    {{ wilson_pct('attention.correct_votes', 'attention.votes_with_true_label', 'low') }} as accuracy_pct_low,
    {{ wilson_pct('attention.correct_votes', 'attention.votes_with_true_label', 'high') }} as accuracy_pct_high,
    coalesce(voted.votes_with_others, 0) as votes_with_others,
    voted.agreeing_votes / nullif(voted.votes_with_others, 0) as leave_one_out_agreement,
    case
        when attention.votes = 0 then 'the annotator cast no votes'
        when voted.votes_with_others = 0 then 'nobody else voted on the annotator''s items'
    end as reason,
    coalesce(voted.dissents, 0) as dissents,
    cast(voted.dissents as double) / nullif(attention.votes, 0) as dissent_rate,
    coalesce(voted.sole_dissents, 0) as sole_dissents,
    coalesce(voted.items_turned_unanimous, 0) + coalesce(repeated.items_turned_unanimous, 0) as items_turned_unanimous,
    ranked.label as most_used_label,
    cast(ranked.votes as double) / nullif(attention.votes, 0) as most_used_label_share,
    voted.p10_reaction_time_ms,
    voted.p90_reaction_time_ms,
    attention.provenance,
    case attention.provenance
        when 'unverified' then 'the vote file is not the declared one: figures about a single annotator are no finding'
        when 'generated' then 'no human voted: figures about a single annotator are no finding'
    end as note
from attention
left join voted
    on attention.dataset_id = voted.dataset_id
    and attention.annotator_id = voted.annotator_id
left join repeated
    on attention.dataset_id = repeated.dataset_id
    and attention.annotator_id = repeated.annotator_id
left join ranked
    on attention.dataset_id = ranked.dataset_id
    and attention.annotator_id = ranked.annotator_id
    and ranked.label_rank = 1
