with

half_patterns as (

    select
        dataset_id,
        panel,
        first_entropy,
        second_entropy,
        cast(sum(items) as bigint) as items,
        sum(items * first_votes) as first_votes,
        sum(items * second_votes) as second_votes
    from {{ ref('dissent', 'int_half_patterns') }}
    -- One vote has no entropy to speak of.
    where first_votes >= 2 and second_votes >= 2
    group by dataset_id, panel, first_entropy, second_entropy

),

panels as (

    select * from {{ ref('dissent', 'int_panels') }}

),

annotated_datasets as (

    select distinct dataset_id from {{ ref('dissent', 'annotator_attention') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

-- Spearman's rho is Pearson's of the ranks; equal entropies share the mean of their ranks. Items are counted along
-- the sorted distinct entropies.
{% for half in ['first', 'second'] %}
{{ half }}_ranks as (

    select
        dataset_id,
        panel,
        {{ half }}_entropy,
        sum(sum(items)) over (
            partition by dataset_id, panel
            order by {{ half }}_entropy
        ) - (sum(items) - 1) / cast(2 as double) as entropy_rank
    from half_patterns
    group by dataset_id, panel, {{ half }}_entropy

),

{% endfor %}
totals as (

    select
        dataset_id,
        panel,
        cast(sum(items) as bigint) as items,
        (sum(items) + 1) / cast(2 as double) as mean_rank,
        cast(sum(first_votes) as double) / sum(items) as first_votes_per_item,
        cast(sum(second_votes) as double) / sum(items) as second_votes_per_item
    from half_patterns
    group by dataset_id, panel

),

centred as (

    select
        half_patterns.dataset_id,
        half_patterns.panel,
        half_patterns.items,
        first_ranks.entropy_rank - totals.mean_rank as first_rank,
        second_ranks.entropy_rank - totals.mean_rank as second_rank
    from half_patterns
    inner join first_ranks
        on half_patterns.dataset_id = first_ranks.dataset_id
        and half_patterns.panel = first_ranks.panel
        and half_patterns.first_entropy = first_ranks.first_entropy
    inner join second_ranks
        on half_patterns.dataset_id = second_ranks.dataset_id
        and half_patterns.panel = second_ranks.panel
        and half_patterns.second_entropy = second_ranks.second_entropy
    inner join totals
        on half_patterns.dataset_id = totals.dataset_id
        and half_patterns.panel = totals.panel

),

correlated as (

    select
        dataset_id,
        panel,
        sum(items * first_rank * second_rank)
        / nullif(
            sqrt(sum(items * first_rank * first_rank) * sum(items * second_rank * second_rank)), 0
        ) as split_half_rho
    from centred
    group by dataset_id, panel

)

select
    panels.dataset_id,
    panels.panel,
    case when annotated_datasets.dataset_id is not null then 'annotators' else 'vote numbers' end as halved_by,
    coalesce(totals.items, 0) as items,
    totals.first_votes_per_item,
    totals.second_votes_per_item,
    correlated.split_half_rho,
    case
        when correlated.split_half_rho > 0 then 2 * correlated.split_half_rho / (1 + correlated.split_half_rho)
    end as corrected_rho,
    case
        when correlated.split_half_rho > 0
            then sqrt(2 * correlated.split_half_rho / (1 + correlated.split_half_rho))
    end as rho_ceiling,
    case
        when totals.items is null then 'no item has two votes in each half'
        when correlated.split_half_rho is null then 'in one half every item has the same entropy'
        when correlated.split_half_rho <= 0 then 'the halves do not agree'
    end as reason,
    provenance.provenance
from panels
left join annotated_datasets
    on panels.dataset_id = annotated_datasets.dataset_id
left join totals
    on panels.dataset_id = totals.dataset_id
    and panels.panel = totals.panel
left join correlated
    on panels.dataset_id = correlated.dataset_id
    and panels.panel = correlated.panel
left join provenance
    on panels.dataset_id = provenance.dataset_id
