{{ config(materialized='table') }}

with

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

pattern_pairs as (

    select * from {{ ref('dissent', 'int_panel_pattern_pairs') }}

),

panel_votes as (

    select
        pattern_pairs.all_pattern,
        patterns.votes
    from pattern_pairs
    inner join patterns
        on pattern_pairs.panel_pattern = patterns.count_pattern
    where pattern_pairs.panel = 'attentive'

),

curve as (

    select
        count_pattern,
        votes,
        {{ series('2', 'least(60, votes)') }} as raters
    from patterns

),

-- Beside the curves: as many votes as are left when the dropped annotators' votes are gone.
removal as (

    select
        panel_votes.all_pattern as count_pattern,
        patterns.votes,
        panel_votes.votes as raters
    from panel_votes
    inner join patterns
        on panel_votes.all_pattern = patterns.count_pattern
    where panel_votes.votes > 60

)

select
    count_pattern,
    votes,
    cast(raters as bigint) as raters
from curve

union

select
    count_pattern,
    votes,
    raters
from removal
