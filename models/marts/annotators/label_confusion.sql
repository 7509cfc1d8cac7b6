with

vote_counts as (

    select * from {{ ref('dissent', 'vote_counts') }}

),

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

pattern_items as (

    select * from {{ ref('dissent', 'int_pattern_items') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

by_majority as (

    select
        dataset_id,
        panel,
        majority_label,
        cast(sum(items) as bigint) as items
    from pattern_items
    group by dataset_id, panel, majority_label

),

confused as (

    select
        vote_counts.dataset_id,
        vote_counts.panel,
        item_patterns.majority_label,
        vote_counts.label as other_label,
        cast(sum(vote_counts.votes) as bigint) as votes,
        count(*) as items,
        -- Inclusive, and on integers, as the rules are.
        count(*) filter (where 100 * vote_counts.votes >= 10 * patterns.votes) as items_share_10,
        count(*) filter (where 100 * vote_counts.votes >= 30 * patterns.votes) as items_share_30
    from vote_counts
    inner join item_patterns
        on vote_counts.dataset_id = item_patterns.dataset_id
        and vote_counts.panel = item_patterns.panel
        and vote_counts.item_id = item_patterns.item_id
        and vote_counts.label != item_patterns.majority_label
    inner join patterns
        on item_patterns.count_pattern = patterns.count_pattern
    group by vote_counts.dataset_id, vote_counts.panel, item_patterns.majority_label, vote_counts.label

),

with_all as (

    select
        *,
        sum(votes) over (partition by dataset_id, panel) as all_dissenting_votes
    from confused

)

select
    with_all.dataset_id,
    with_all.panel,
    with_all.majority_label,
    with_all.other_label,
    by_majority.items as items_of_majority,
    with_all.votes,
    cast(with_all.votes as double) / with_all.all_dissenting_votes as dissent_share,
    with_all.items,
    with_all.items_share_10,
    with_all.items_share_30,
    provenance.provenance
from with_all
inner join by_majority
    on with_all.dataset_id = by_majority.dataset_id
    and with_all.panel = by_majority.panel
    and with_all.majority_label = by_majority.majority_label
left join provenance
    on with_all.dataset_id = provenance.dataset_id
