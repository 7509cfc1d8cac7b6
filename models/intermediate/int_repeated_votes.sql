{{ config(materialized='table') }}

with

votes as (

    select * from {{ ref('dissent', 'int_numbered_votes') }}

),

-- Read twice: DuckDB would keep all votes in memory between two uses of one CTE.
votes_again as (

    select * from {{ ref('dissent', 'int_numbered_votes') }}

),

-- Usually none: the one aggregate over annotators and items, so that everything else can do without.
repeated as (

    select
        annotator_number,
        item_number,
        cast(sum(weight) as bigint) as own_item_votes
    from votes_again
    group by annotator_number, item_number
    having sum(weight) > 1

)

select
    votes.annotator_number,
    votes.item_number,
    votes.label,
    cast(sum(votes.weight) as bigint) as own_label_votes,
    max(repeated.own_item_votes) as own_item_votes
from votes
inner join repeated
    on votes.annotator_number = repeated.annotator_number
    and votes.item_number = repeated.item_number
group by votes.annotator_number, votes.item_number, votes.label
