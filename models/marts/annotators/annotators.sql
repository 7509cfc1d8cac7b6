with

attention as (

    select * from {{ ref('dissent', 'annotator_attention') }}

),

annotator_groups as (

    select * from {{ ref('dissent', 'int_annotator_groups') }}

),

voted_labels as (

    select * from {{ ref('dissent', 'int_voted_labels') }}

),

-- Read twice: DuckDB would keep all of it in memory between two uses of one CTE.
voted_labels_again as (

    select * from {{ ref('dissent', 'int_voted_labels') }}

),

votes as (

    select * from {{ ref('dissent', 'int_numbered_votes') }}

),

repeated_votes as (

    select * from {{ ref('dissent', 'int_repeated_votes') }}

),

annotator_votes as (

    select * from {{ ref('dissent', 'int_annotator_votes') }}

),

labels as (

    select * from {{ ref('dissent', 'int_labels') }}

),

-- The others of one who voted once on the item are all votes but one, whoever it is.
voters as (

    select
        item_number,
        label_order,
        cast(votes - 1 as double) / nullif(item_votes - 1, 0) as agreement,
        is_dissent,
        is_sole_dissent,
        votes = 1 and labels_seen = 2 as leaves_one_label,
        {{ exploded('annotator_numbers') }} as annotator_number
    from voted_labels

),

repeated as (

    select
        repeated_votes.annotator_number,
        repeated_votes.item_number,
        repeated_votes.label_order,
        repeated_votes.own_label_votes,
        cast(voted_labels_again.votes - repeated_votes.own_label_votes as double)
        / nullif(voted_labels_again.item_votes - repeated_votes.own_item_votes, 0) as agreement,
        voted_labels_again.is_dissent,
        voted_labels_again.is_sole_dissent,
        voted_labels_again.labels_seen,
        row_number() over (
            partition by repeated_votes.annotator_number, repeated_votes.item_number
            order by repeated_votes.label_order
        ) as own_label_number,
        sum(case when repeated_votes.own_label_votes = voted_labels_again.votes then 1 else 0 end) over (
            partition by repeated_votes.annotator_number, repeated_votes.item_number
        ) as labels_of_nobody_else
    from repeated_votes
    inner join voted_labels_again
        on repeated_votes.item_number = voted_labels_again.item_number
        and repeated_votes.label_order = voted_labels_again.label_order

),

placed as (

    select
        voters.annotator_number,
        cast(1 as bigint) as votes,
        voters.agreement,
        voters.is_dissent,
        voters.is_sole_dissent,
        voters.leaves_one_label
    from voters
    left join repeated
        on voters.annotator_number = repeated.annotator_number
        and voters.item_number = repeated.item_number
        and voters.label_order = repeated.label_order
    where repeated.item_number is null

    union all

    select
        annotator_number,
        own_label_votes as votes,
        agreement,
        is_dissent,
        is_sole_dissent,
        -- An item turns once, whatever the annotator's labels on it.
        own_label_number = 1 and labels_seen > 1 and labels_seen - labels_of_nobody_else = 1 as leaves_one_label
    from repeated

),

-- The one pass over the votes with the counts they are in.
voted as (

    select
        annotator_number,
        cast(coalesce(sum(votes) filter (where agreement is not null), 0) as bigint) as votes_with_others,
        sum(votes * agreement) as agreeing_votes,
        cast(coalesce(sum(votes) filter (where is_dissent), 0) as bigint) as dissents,
        count(*) filter (where is_sole_dissent) as sole_dissents,
        count(*) filter (where leaves_one_label) as items_turned_unanimous
    from placed
    group by annotator_number

),

by_label as (

    select
        annotator_number,
        label_order,
        cast(sum(weight) as bigint) as votes
    from votes
    group by annotator_number, label_order

),

-- Most votes, then label order.
most_used as (

    select
        annotator_number,
        max_by(label_order, votes * 1048576 - label_order) as label_order,
        max(votes) as votes
    from by_label
    group by annotator_number

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
    coalesce(voted.items_turned_unanimous, 0) as items_turned_unanimous,
    labels.label as most_used_label,
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
left join most_used
    on annotator_groups.annotator_number = most_used.annotator_number
left join labels
    on attention.dataset_id = labels.dataset_id
    and most_used.label_order = labels.label_order
left join annotator_votes
    on attention.dataset_id = annotator_votes.dataset_id
    and attention.annotator_id = annotator_votes.annotator_id
