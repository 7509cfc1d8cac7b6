{{ config(materialized='table') }}

with

pattern_items as (

    select * from {{ ref('dissent', 'int_pattern_items') }}

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

)

select
    pattern_items.dataset_id,
    pattern_items.panel,
    patterns.votes,
    patterns.majority_votes,
    patterns.second_votes,
    patterns.single_vote_labels,
    cast(sum(pattern_items.items) as bigint) as items
from pattern_items
inner join patterns
    on pattern_items.count_pattern = patterns.count_pattern
where pattern_items.items > 0
group by
    pattern_items.dataset_id,
    pattern_items.panel,
    patterns.votes,
    patterns.majority_votes,
    patterns.second_votes,
    patterns.single_vote_labels
