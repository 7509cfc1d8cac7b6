with

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

chances as (

    select * from {{ ref('dissent', 'int_off_top_chance') }}

),

-- Few patterns, many items: the join on the counts is made once a pattern.
pattern_chances as (

    select
        chances.dataset_id,
        chances.panel,
        patterns.count_pattern,
        chances.share_pct,
        chances.chance,
        chances.reason
    from chances
    inner join patterns
        on chances.votes = patterns.votes
        and chances.dissenting_votes = patterns.dissenting_votes

)

select
    item_patterns.dataset_id,
    item_patterns.panel,
    item_patterns.item_id,
    pattern_chances.share_pct,
    pattern_chances.chance,
    pattern_chances.reason
from item_patterns
inner join pattern_chances
    on item_patterns.dataset_id = pattern_chances.dataset_id
    and item_patterns.panel = pattern_chances.panel
    and item_patterns.count_pattern = pattern_chances.count_pattern
