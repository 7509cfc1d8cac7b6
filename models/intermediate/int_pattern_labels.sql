{{ config(materialized='table') }}

with

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

exploded as (

    select
        count_pattern,
        votes as item_votes,
        labels_seen,
        {{ explode_pattern('count_pattern') }} as votes
    from patterns

),

placed as (

    select
        *,
        row_number() over (partition by count_pattern order by votes desc) as position
    from exploded

)

select
    count_pattern,
    item_votes,
    labels_seen,
    votes,
    count(*) as labels,
    min(position) as position
from placed
group by count_pattern, item_votes, labels_seen, votes
