{{ config(materialized='table') }}

with

-- Few levels occur, and an item has votes at fewer still: nothing is multiplied by the number of thresholds.
cells as (

    select * from {{ ref('dissent', 'int_vote_cells') }}

),

items as (

    select * from {{ ref('dissent', 'int_voted_items') }}

),

checked_datasets as (

    select distinct dataset_id from {{ ref('dissent', 'int_pass_thresholds') }}

),

item_levels as (

    select distinct
        item_number,
        pass_level
    from cells

),

-- An item's votes only change at its own levels: what is kept at one of them is kept down to the next lower one.
states as (

    select
        item_number,
        pass_level,
        lag(pass_level) over (
            partition by item_number
            order by pass_level
        ) as next_lower_level
    from item_levels

),

kept as (

    select
        states.item_number,
        states.pass_level,
        states.next_lower_level,
        cells.label,
        cast(sum(cells.votes) as bigint) as votes
    from states
    inner join cells
        on states.item_number = cells.item_number
        and states.pass_level <= cells.pass_level
    group by states.item_number, states.pass_level, states.next_lower_level, cells.label

),

topped as (

    select
        item_number,
        pass_level,
        next_lower_level,
        cast(sum(votes) as bigint) as votes,
        {{ top_two('votes') }} as top_votes,
        count(*) filter (where votes = 1) as single_vote_labels
    from kept
    group by item_number, pass_level, next_lower_level

),

tallied as (

    select
        items.dataset_id,
        topped.pass_level,
        topped.next_lower_level,
        topped.votes,
        {{ element_at_position('topped.top_votes', 1) }} as majority_votes,
        coalesce({{ element_at_position('topped.top_votes', 2) }}, 0) as second_votes,
        topped.single_vote_labels
    from topped
    inner join items
        on topped.item_number = items.item_number
    inner join checked_datasets
        on items.dataset_id = checked_datasets.dataset_id

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
