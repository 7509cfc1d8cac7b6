with

pattern_items as (

    select * from {{ ref('dissent', 'int_pattern_items') }}

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

distributed as (

    select
        pattern_items.dataset_id,
        pattern_items.panel,
        patterns.dissenting_votes,
        cast(sum(pattern_items.items) as bigint) as items
    from pattern_items
    inner join patterns
        on pattern_items.count_pattern = patterns.count_pattern
    group by pattern_items.dataset_id, pattern_items.panel, patterns.dissenting_votes

),

accumulated as (

    select
        *,
        cast(sum(items) over (
            partition by dataset_id, panel
            order by dissenting_votes
        ) as bigint) as items_up_to,
        cast(sum(items) over (partition by dataset_id, panel) as bigint) as all_items
    from distributed

)

select
    accumulated.dataset_id,
    accumulated.panel,
    accumulated.dissenting_votes,
    accumulated.items,
    100e0 * accumulated.items / accumulated.all_items as items_pct,
    accumulated.items_up_to,
    100e0 * accumulated.items_up_to / accumulated.all_items as items_up_to_pct,
    provenance.provenance
from accumulated
left join provenance
    on accumulated.dataset_id = provenance.dataset_id
