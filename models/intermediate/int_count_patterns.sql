{{ config(materialized='table') }}

with

patterns as (

    select distinct count_pattern from {{ ref('dissent', 'int_item_patterns') }}

),

exploded as (

    select
        count_pattern,
        {{ explode_pattern('count_pattern') }} as votes
    from patterns

),

ranked as (

    select
        count_pattern,
        votes,
        row_number() over (partition by count_pattern order by votes desc) as label_rank,
        max(votes) over (partition by count_pattern) as top_votes
    from exploded

),

tallied as (

    select
        count_pattern,
        cast(sum(votes) as bigint) as votes,
        count(*) as labels_seen,
        max(votes) as majority_votes,
        count(*) filter (where votes = top_votes) as majority_labels,
        coalesce(max(votes) filter (where label_rank = 2), 0) as second_votes,
        count(*) filter (where votes = 1) as single_vote_labels,
        sum(votes * ln(votes)) as sum_votes_ln_votes,
        cast(sum(votes * (votes - 1)) as bigint) as agreeing_pairs
    from ranked
    group by count_pattern

)

select
    count_pattern,
    votes,
    labels_seen,
    majority_votes,
    majority_labels,
    second_votes,
    votes - majority_votes as dissenting_votes,
    single_vote_labels,
    -- Equal to -sum p ln p; greatest() because one label may leave -1e-17 behind.
    greatest(cast(0 as double), ln(votes) - sum_votes_ln_votes / votes) as entropy_nats,
    1 - cast(agreeing_pairs as double) / nullif(votes * (votes - 1), 0) as pairwise_disagreement
from tallied
