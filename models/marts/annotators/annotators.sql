with

attention as (

    select * from {{ ref('dissent', 'annotator_attention') }}

),

annotator_groups as (

    select * from {{ ref('dissent', 'int_annotator_groups') }}

),

votes as (

    select * from {{ ref('dissent', 'int_numbered_votes') }}

),

-- Read twice: DuckDB would keep all votes in memory between two uses of one CTE.
votes_again as (

    select * from {{ ref('dissent', 'int_numbered_votes') }}

),

annotator_votes as (

    select * from {{ ref('dissent', 'int_annotator_votes') }}

),

vote_cells as (

    select * from {{ ref('dissent', 'int_vote_cells') }}

),

items as (

    select * from {{ ref('dissent', 'int_voted_items') }}

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

numbered_items as (

    select
        items.item_number,
        item_patterns.majority_label,
        patterns.votes,
        patterns.labels_seen,
        patterns.dissenting_votes
    from items
    inner join item_patterns
        on items.dataset_id = item_patterns.dataset_id
        and items.item_id = item_patterns.item_id
    inner join patterns
        on item_patterns.count_pattern = patterns.count_pattern

),

label_votes as (

    select
        item_number,
        label,
        cast(sum(votes) as bigint) as votes
    from vote_cells
    group by item_number, label

),

cells as (

    select
        label_votes.item_number,
        label_votes.label,
        label_votes.votes as label_votes,
        numbered_items.votes as item_votes,
        numbered_items.labels_seen,
        label_votes.label != numbered_items.majority_label as is_dissent,
        label_votes.label != numbered_items.majority_label and numbered_items.dissenting_votes = 1 as is_sole_dissent
    from label_votes
    inner join numbered_items
        on label_votes.item_number = numbered_items.item_number

),

-- What an annotator's own votes add to each count; one, where the annotator voted once on the item.
placed as (

    select
        votes.annotator_number,
        votes.weight,
        cells.is_dissent,
        cells.is_sole_dissent,
        cells.label_votes - coalesce(repeated_votes.own_label_votes, 1) as others_on_label,
        cells.item_votes - coalesce(repeated_votes.own_item_votes, 1) as others,
        repeated_votes.item_number is null and cells.label_votes = 1 and cells.labels_seen = 2 as leaves_one_label
    from votes
    inner join cells
        on votes.item_number = cells.item_number
        and votes.label = cells.label
    left join repeated_votes
        on votes.annotator_number = repeated_votes.annotator_number
        and votes.item_number = repeated_votes.item_number
        and votes.label = repeated_votes.label

),

-- The one pass over the votes joined with the counts.
voted as (

    select
        annotator_number,
        cast(coalesce(sum(weight) filter (where others > 0), 0) as bigint) as votes_with_others,
        sum(cast(weight * others_on_label as double) / nullif(others, 0)) as agreeing_votes,
        cast(coalesce(sum(weight) filter (where is_dissent), 0) as bigint) as dissents,
        count(*) filter (where is_sole_dissent) as sole_dissents,
        count(*) filter (where leaves_one_label) as items_turned_unanimous
    from placed
    group by annotator_number

),

-- Items with repeats are counted once each, whatever the annotator's labels on them.
repeated_items as (

    select
        repeated_votes.annotator_number,
        repeated_votes.item_number,
        max(cells.labels_seen) as labels_seen,
        count(*) filter (where repeated_votes.own_label_votes = cells.label_votes) as own_labels
    from repeated_votes
    inner join cells
        on repeated_votes.item_number = cells.item_number
        and repeated_votes.label = cells.label
    group by repeated_votes.annotator_number, repeated_votes.item_number

),

repeated as (

    select
        annotator_number,
        count(*) filter (where labels_seen > 1 and labels_seen - own_labels = 1) as items_turned_unanimous
    from repeated_items
    group by annotator_number

),

by_label as (

    select
        annotator_number,
        label,
        cast(sum(weight) as bigint) as votes
    from votes_again
    group by annotator_number, label

),

-- Most votes, then label order.
most_used as (

    select
        by_label.annotator_number,
        max_by(by_label.label, by_label.votes * 1048576 - labels.label_order) as label,
        max(by_label.votes) as votes
    from by_label
    inner join annotator_groups
        on by_label.annotator_number = annotator_groups.annotator_number
    inner join labels
        on annotator_groups.dataset_id = labels.dataset_id
        and by_label.label = labels.label
    group by by_label.annotator_number

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
    most_used.label as most_used_label,
    cast(most_used.votes as double) / nullif(attention.votes, 0) as most_used_label_share,
    annotator_votes.p10_reaction_time_ms,
    annotator_votes.p90_reaction_time_ms,
    attention.provenance,
    case attention.provenance
        when 'unverified' then 'the vote file is not the declared one: figures about a single annotator are no finding'
        when 'generated' then 'no human voted: figures about a single annotator are no finding'
    end as note
from attention
inner join annotator_groups
    on attention.dataset_id = annotator_groups.dataset_id
    and attention.annotator_id = annotator_groups.annotator_id
left join voted
    on annotator_groups.annotator_number = voted.annotator_number
left join repeated
    on annotator_groups.annotator_number = repeated.annotator_number
left join most_used
    on annotator_groups.annotator_number = most_used.annotator_number
left join annotator_votes
    on attention.dataset_id = annotator_votes.dataset_id
    and attention.annotator_id = annotator_votes.annotator_id
