{{ config(materialized='table') }}

with

votes_dissents as (

    select * from {{ ref('dissent', 'int_votes_dissents') }}

),

lapse_rates as (

    select * from {{ ref('dissent', 'int_lapse_rates') }}

),

-- P(Bin(votes, lapse rate) >= dissenting votes), once for each combination that occurs.
combinations as (

    select distinct
        votes_dissents.votes,
        votes_dissents.dissenting_votes,
        lapse_rates.lapse_rate
    from votes_dissents
    inner join lapse_rates
        on votes_dissents.dataset_id = lapse_rates.dataset_id
        and votes_dissents.panel = lapse_rates.panel
    where lapse_rates.lapse_rate > 0 and lapse_rates.lapse_rate < 1

),

terms as (

    select
        *,
        {{ series('dissenting_votes', 'votes') }} as lapses
    from combinations

),

tails as (

    select
        votes,
        dissenting_votes,
        lapse_rate,
        least(1e0, sum(
            exp({{ ln_choose('votes', 'lapses') }} + lapses * ln(lapse_rate) + (votes - lapses) * ln(1 - lapse_rate))
        )) as p_value
    from terms
    group by votes, dissenting_votes, lapse_rate

),

ranked as (

    select
        votes_dissents.dataset_id,
        votes_dissents.panel,
        lapse_rates.lapse_id,
        votes_dissents.votes,
        votes_dissents.dissenting_votes,
        votes_dissents.items,
        tails.p_value,
        sum(votes_dissents.items) over (
            partition by votes_dissents.dataset_id, votes_dissents.panel, lapse_rates.lapse_id
            order by tails.p_value
        ) as items_to_here,
        sum(votes_dissents.items) over (
            partition by votes_dissents.dataset_id, votes_dissents.panel, lapse_rates.lapse_id
        ) as all_items
    from votes_dissents
    inner join lapse_rates
        on votes_dissents.dataset_id = lapse_rates.dataset_id
        and votes_dissents.panel = lapse_rates.panel
    inner join tails
        on votes_dissents.votes = tails.votes
        and votes_dissents.dissenting_votes = tails.dissenting_votes
        and lapse_rates.lapse_rate = tails.lapse_rate

),

-- Benjamini-Hochberg: the largest p-value that lies on or under its line takes all smaller ones with it.
lines as (

    select
        *,
        max(case when p_value <= 0.05e0 * items_to_here / all_items then p_value end) over (
            partition by dataset_id, panel, lapse_id
        ) as largest_p_value
    from ranked

)

select
    dataset_id,
    panel,
    lapse_id,
    votes,
    dissenting_votes,
    items,
    p_value,
    coalesce(p_value <= largest_p_value, false) as is_beyond_lapse
from lines
