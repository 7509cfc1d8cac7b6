with

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

entropies as (

    select * from {{ ref('dissent', 'int_pattern_entropies') }}

),

beyond_lapse as (

    select * from {{ ref('dissent', 'int_beyond_lapse') }}
    where lapse_id = 'one_pct'

),

panels as (

    select * from {{ ref('dissent', 'int_panels') }}

),

vote_counts as (

    select * from {{ ref('dissent', 'int_vote_counts') }}

),

declared_items as (

    select * from {{ ref('dissent', 'int_declared_items') }}

),

label_sets as (

    select
        dataset_id,
        max(labels) as labels
    from {{ ref('dissent', 'int_labels') }}
    group by dataset_id

),

voted_items as (

    select
        dataset_id,
        item_id,
        max(true_label) as true_label
    from vote_counts
    group by dataset_id, item_id

),

-- An item that nobody of the panel voted on stays, with zero votes.
all_items as (

    select
        dataset_id,
        item_id,
        true_label
    from voted_items

    union all

    select
        declared_items.dataset_id,
        declared_items.item_id,
        cast(null as string) as true_label
    from declared_items
    left join voted_items
        on declared_items.dataset_id = voted_items.dataset_id
        and declared_items.item_id = voted_items.item_id
    where voted_items.item_id is null

)

select
    all_items.dataset_id,
    panels.panel,
    all_items.item_id,
    all_items.true_label,
    coalesce(patterns.votes, 0) as votes,
    coalesce(patterns.labels_seen, 0) as labels_seen,
    item_patterns.majority_label,
    coalesce(patterns.majority_votes, 0) as majority_votes,
    cast(patterns.majority_votes as double) / patterns.votes as majority_share,
    item_patterns.second_label,
    coalesce(patterns.second_votes, 0) as second_votes,
    cast(patterns.second_votes as double) / patterns.votes as second_share,
    coalesce(patterns.dissenting_votes, 0) as dissenting_votes,
    coalesce(patterns.majority_votes = patterns.second_votes, false) as is_tie,
    item_patterns.count_pattern,
    case when label_sets.labels > 1 then patterns.entropy_nats / ln(label_sets.labels) end as normalised_entropy,
    case when label_sets.labels > 1 then entropies.miller_madow_nats / ln(label_sets.labels) end
        as normalised_entropy_miller_madow,
    case when label_sets.labels > 1 then entropies.zhang_nats / ln(label_sets.labels) end
        as normalised_entropy_zhang,
    patterns.pairwise_disagreement,
    beyond_lapse.is_beyond_lapse as beyond_lapse,
    case
        when item_patterns.second_label is not null
            then concat(item_patterns.majority_label, ' / ', item_patterns.second_label)
    end as confusion_pair
from all_items
inner join panels
    on all_items.dataset_id = panels.dataset_id
inner join label_sets
    on all_items.dataset_id = label_sets.dataset_id
left join item_patterns
    on all_items.dataset_id = item_patterns.dataset_id
    and panels.panel = item_patterns.panel
    and all_items.item_id = item_patterns.item_id
left join patterns
    on item_patterns.count_pattern = patterns.count_pattern
left join entropies
    on item_patterns.count_pattern = entropies.count_pattern
left join beyond_lapse
    on all_items.dataset_id = beyond_lapse.dataset_id
    and panels.panel = beyond_lapse.panel
    and patterns.votes = beyond_lapse.votes
    and patterns.dissenting_votes = beyond_lapse.dissenting_votes
