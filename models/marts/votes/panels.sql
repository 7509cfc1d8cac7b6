with

items as (

    select * from {{ ref('dissent', 'items') }}

),

annotators as (

    select * from {{ ref('dissent', 'annotator_attention') }}

),

panels as (

    select * from {{ ref('dissent', 'int_panels') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

item_stats as (

    select
        dataset_id,
        panel,
        count(*) filter (where votes > 0) as items,
        count(*) filter (where votes = 0) as items_without_votes,
        cast(sum(votes) as bigint) as votes,
        min(votes) filter (where votes > 0) as min_votes_per_item,
        median(votes) filter (where votes > 0) as median_votes_per_item,
        max(votes) filter (where votes > 0) as max_votes_per_item,
        count(*) filter (where is_tie) as tied_items,
        avg(normalised_entropy) as mean_normalised_entropy,
        avg(pairwise_disagreement) as mean_pairwise_disagreement
    from items
    group by dataset_id, panel

),

annotator_stats as (

    select
        panels.dataset_id,
        panels.panel,
        count(*) as annotators,
        cast(sum(annotators.votes_with_true_label) as bigint) as votes_with_true_label,
        cast(sum(annotators.correct_votes) as bigint) as correct_votes
    from annotators
    inner join panels
        on annotators.dataset_id = panels.dataset_id
        and {{ is_in_panel('panels.panel', 'annotators.is_attentive') }}
    group by panels.dataset_id, panels.panel

),

with_all as (

    select
        *,
        max(annotators) over (partition by dataset_id) as all_annotators
    from annotator_stats

)

select
    item_stats.dataset_id,
    item_stats.panel,
    item_stats.items,
    item_stats.items_without_votes,
    item_stats.votes,
    item_stats.min_votes_per_item,
    item_stats.median_votes_per_item,
    item_stats.max_votes_per_item,
    item_stats.tied_items,
    item_stats.mean_normalised_entropy,
    item_stats.mean_pairwise_disagreement,
    with_all.annotators,
    100e0 * with_all.annotators / with_all.all_annotators as annotators_pct,
    100e0 * with_all.correct_votes / nullif(with_all.votes_with_true_label, 0) as accuracy_pct,
    provenance.provenance
from item_stats
left join with_all
    on item_stats.dataset_id = with_all.dataset_id
    and item_stats.panel = with_all.panel
left join provenance
    on item_stats.dataset_id = provenance.dataset_id
