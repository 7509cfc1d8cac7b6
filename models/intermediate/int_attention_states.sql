{{ config(materialized='table') }}

with

votes as (

    select * from {{ ref('dissent', 'int_votes') }}

),

levels as (

    select * from {{ ref('dissent', 'int_annotator_pass_levels') }}

),

-- The one pass over the votes. Few levels occur, and an item has votes at fewer still: nothing is multiplied by the
-- number of thresholds.
cells as (

    select
        votes.dataset_id,
        votes.item_id,
        votes.label,
        levels.pass_level,
        cast(sum(votes.weight) as bigint) as votes
    from votes
    inner join levels
        on votes.dataset_id = levels.dataset_id
        and votes.annotator_id = levels.annotator_id
    group by votes.dataset_id, votes.item_id, votes.label, levels.pass_level

),

item_levels as (

    select distinct
        dataset_id,
        item_id,
        pass_level
    from cells

),

-- An item's votes only change at its own levels: what is kept at one of them is kept down to the next lower one.
states as (

    select
        dataset_id,
        item_id,
        pass_level,
        lag(pass_level) over (
            partition by dataset_id, item_id
            order by pass_level
        ) as next_lower_level
    from item_levels

),

kept as (

    select
        states.dataset_id,
        states.item_id,
        states.pass_level,
        states.next_lower_level,
        cells.label,
        cast(sum(cells.votes) as bigint) as votes
    from states
    inner join cells
        on states.dataset_id = cells.dataset_id
        and states.item_id = cells.item_id
        and states.pass_level <= cells.pass_level
    group by states.dataset_id, states.item_id, states.pass_level, states.next_lower_level, cells.label

),

ranked as (

    select
        *,
        row_number() over (
            partition by dataset_id, item_id, pass_level
            order by votes desc
        ) as label_rank
    from kept

),

tallied as (

    select
        dataset_id,
        item_id,
        pass_level,
        next_lower_level,
        cast(sum(votes) as bigint) as votes,
        max(votes) as majority_votes,
        coalesce(max(votes) filter (where label_rank = 2), 0) as second_votes,
        count(*) filter (where votes = 1) as single_vote_labels
    from ranked
    group by dataset_id, item_id, pass_level, next_lower_level

)

select
    dataset_id,
    -- Thresholds are 0 or more: an item's lowest level reaches down to all of them.
    coalesce(next_lower_level, -1) as above_pct,
    pass_level as up_to_pct,
    votes,
    votes - majority_votes as dissenting_votes,
    second_votes,
    single_vote_labels,
    count(*) as items
from tallied
group by dataset_id, coalesce(next_lower_level, -1), pass_level, votes, majority_votes, second_votes, single_vote_labels
