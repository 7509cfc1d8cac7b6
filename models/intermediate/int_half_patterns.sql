{{ config(materialized='table') }}

with

half_counts as (

    select * from {{ ref('dissent', 'int_half_counts') }}

),

items as (

    select
        dataset_id,
        panel,
        item_number,
        sum(first_votes) as first_votes,
        sum(second_votes) as second_votes,
        max(first_votes) as first_majority,
        -- Votes of the second half on the first half's top label: most votes, then label order.
        max_by(second_votes, first_votes * 1048576 - label_order) as second_votes_on_top,
        sum(first_votes * ln(greatest(first_votes, 1))) as first_votes_ln_votes,
        sum(second_votes * ln(greatest(second_votes, 1))) as second_votes_ln_votes
    from half_counts
    group by dataset_id, panel, item_number

),

-- A half without votes has entropy 0, as greatest() passes over NULL.
measured as (

    select
        dataset_id,
        panel,
        cast(first_votes as bigint) as first_votes,
        cast(second_votes as bigint) as second_votes,
        cast(first_votes - first_majority as bigint) as first_off_top,
        cast(second_votes - second_votes_on_top as bigint) as second_off_top,
        -- greatest() because one label may leave -1e-17 behind.
        greatest(0e0, ln(nullif(first_votes, 0)) - first_votes_ln_votes / nullif(first_votes, 0)) as first_entropy,
        greatest(0e0, ln(nullif(second_votes, 0)) - second_votes_ln_votes / nullif(second_votes, 0)) as second_entropy
    from items

)

-- Rounded: different votes can have one and the same entropy, and the last bit must not rank them.
select
    dataset_id,
    panel,
    first_votes,
    first_off_top,
    round(first_entropy, 12) as first_entropy,
    second_votes,
    second_off_top,
    round(second_entropy, 12) as second_entropy,
    count(*) as items
from measured
group by
    dataset_id,
    panel,
    first_votes,
    first_off_top,
    round(first_entropy, 12),
    second_votes,
    second_off_top,
    round(second_entropy, 12)
