{{ config(materialized='table') }}

with

cells as (

    select * from {{ ref('dissent', 'int_vote_cells') }}

),

-- Read twice: DuckDB would keep all of them in memory between two uses of one CTE.
cells_again as (

    select * from {{ ref('dissent', 'int_vote_cells') }}

),

items as (

    select * from {{ ref('dissent', 'int_voted_items') }}

),

checked_datasets as (

    select distinct dataset_id from {{ ref('dissent', 'int_pass_thresholds') }}

),

-- Few levels occur, and an item has votes at fewer still: nothing is multiplied by the number of thresholds.
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

-- The same for a label: its votes kept at one of its levels, down to its next lower one.
label_states as (

    select
        item_number,
        label_order,
        pass_level,
        cast(sum(votes) over by_level as bigint) as votes,
        lead(pass_level) over by_level as next_lower_level
    from cells_again
    window by_level as (
        partition by item_number, label_order
        order by pass_level desc
    )

),

ranked as (

    select
        states.item_number,
        states.pass_level,
        states.next_lower_level,
        label_states.votes,
        row_number() over (
            partition by states.item_number, states.pass_level
            order by label_states.votes desc
        ) as label_rank
    from states
    inner join label_states
        on states.item_number = label_states.item_number
        and states.pass_level <= label_states.pass_level
        and states.pass_level > coalesce(label_states.next_lower_level, -1)

),

tallied as (

    select
        item_number,
        pass_level,
        next_lower_level,
        cast(sum(votes) as bigint) as votes,
        max(votes) as majority_votes,
        coalesce(max(votes) filter (where label_rank = 2), 0) as second_votes,
        count(*) filter (where votes = 1) as single_vote_labels
    from ranked
    group by item_number, pass_level, next_lower_level

),

by_dataset as (

    select
        items.dataset_id,
        tallied.pass_level,
        tallied.next_lower_level,
        tallied.votes,
        tallied.majority_votes,
        tallied.second_votes,
        tallied.single_vote_labels
    from tallied
    inner join items
        on tallied.item_number = items.item_number
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
from by_dataset
group by dataset_id, coalesce(next_lower_level, -1), pass_level, votes, majority_votes, second_votes, single_vote_labels
