with

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

chances as (

    select * from {{ ref('dissent', 'int_off_top_chance') }}

)

select
    item_patterns.dataset_id,
    item_patterns.panel,
    item_patterns.item_id,
    chances.share_pct,
    chances.chance,
    chances.reason
from item_patterns
inner join patterns
    on item_patterns.count_pattern = patterns.count_pattern
inner join chances
    on item_patterns.dataset_id = chances.dataset_id
    and item_patterns.panel = chances.panel
    and patterns.votes = chances.votes
    and patterns.dissenting_votes = chances.dissenting_votes
