{{ config(materialized='table') }}

with

item_states as (

    select
        *,
        votes - majority_votes as dissenting_votes
    from {{ ref('dissent', 'int_item_states') }}

),

next_votes as (

    select * from {{ ref('dissent', 'int_next_votes') }}

),

thresholds as (

    select * from {{ ref('dissent', 'thresholds') }}

),

judged_now as (

    select
        item_states.*,
        thresholds.rule_id,
        thresholds.basis,
        {{ is_divided('item_states', 'thresholds') }} as is_divided
    from item_states
    cross join thresholds

),

-- Where the counts end up: hits on the second label, the rest on the top one, whichever of the two leads then.
moved as (

    select
        judged_now.dataset_id,
        judged_now.panel,
        judged_now.rule_id,
        judged_now.votes as votes_now,
        judged_now.majority_votes as majority_now,
        judged_now.second_votes as second_now,
        judged_now.single_vote_labels as singles_now,
        judged_now.items,
        judged_now.is_divided as is_divided_now,
        next_votes.more_votes,
        next_votes.weight,
        judged_now.majority_votes + next_votes.more_votes - next_votes.new_hits as one_then,
        judged_now.second_votes + next_votes.new_hits as other_then
    from judged_now
    inner join next_votes
        on judged_now.dataset_id = next_votes.dataset_id
        and judged_now.panel = next_votes.panel
        and judged_now.basis = next_votes.basis
        and judged_now.votes = next_votes.votes
        and case
            when judged_now.basis = 'off_top' then judged_now.dissenting_votes else judged_now.second_votes
        end = next_votes.hits

),

counts_then as (

    select
        *,
        votes_now + more_votes as votes,
        votes_now + more_votes - greatest(one_then, other_then) as dissenting_votes,
        least(one_then, other_then) as second_votes,
        -- A majority of one has no verdict where single votes are dropped, so it need not be counted.
        singles_now
        - case when second_now = 1 then 1 else 0 end
        + case when other_then = 1 then 1 else 0 end as single_vote_labels
    from moved

),

judged_then as (

    select
        counts_then.*,
        {{ is_divided('counts_then', 'thresholds') }} as is_divided_then
    from counts_then
    inner join thresholds
        on counts_then.rule_id = thresholds.rule_id

),

summed as (

    select
        dataset_id,
        panel,
        rule_id,
        more_votes,
        votes_now as votes,
        majority_now as majority_votes,
        second_now as second_votes,
        singles_now as single_vote_labels,
        items,
        is_divided_now as is_divided,
        -- Rounded, so that equal chances tie on every engine.
        round(sum(weight), 12) as chance
    from judged_then
    where is_divided_now != is_divided_then
    group by
        dataset_id,
        panel,
        rule_id,
        more_votes,
        votes_now,
        majority_now,
        second_now,
        singles_now,
        items,
        is_divided_now

)

select
    dataset_id,
    panel,
    rule_id,
    more_votes,
    votes,
    majority_votes,
    second_votes,
    single_vote_labels,
    items,
    is_divided,
    chance,
    cast(sum(items) over (
        partition by dataset_id, panel, rule_id, more_votes
        order by chance desc, votes asc, majority_votes asc, second_votes asc, single_vote_labels asc
    ) as bigint) - items as items_before
from summed
where chance > 0
