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
        {{ is_divided('item_states', 'thresholds') }} as is_divided
    from item_states
    cross join thresholds

),

-- Where the counts end up: hits on the second label, the rest on the top one, whichever of the two leads then.
moved as (

    select
        item_states.dataset_id,
        item_states.panel,
        item_states.votes as votes_now,
        item_states.majority_votes as majority_now,
        item_states.second_votes as second_now,
        item_states.single_vote_labels as singles_now,
        next_votes.basis,
        next_votes.more_votes,
        next_votes.weight,
        item_states.majority_votes + next_votes.more_votes - next_votes.new_hits as one_then,
        item_states.second_votes + next_votes.new_hits as other_then
    from item_states
    inner join next_votes
        on item_states.dataset_id = next_votes.dataset_id
        and item_states.panel = next_votes.panel
        and item_states.votes = next_votes.votes
        and case
            when next_votes.basis = 'off_top' then item_states.dissenting_votes else item_states.second_votes
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
        thresholds.rule_id,
        {{ is_divided('counts_then', 'thresholds') }} as is_divided
    from counts_then
    inner join thresholds
        on counts_then.basis = thresholds.basis

),

summed as (

    select
        judged_now.dataset_id,
        judged_now.panel,
        judged_now.rule_id,
        judged_then.more_votes,
        judged_now.votes,
        judged_now.majority_votes,
        judged_now.second_votes,
        judged_now.single_vote_labels,
        judged_now.items,
        judged_now.is_divided,
        -- Rounded, so that equal chances tie on every engine.
        round(sum(judged_then.weight), 12) as chance
    from judged_now
    inner join judged_then
        on judged_now.dataset_id = judged_then.dataset_id
        and judged_now.panel = judged_then.panel
        and judged_now.rule_id = judged_then.rule_id
        and judged_now.votes = judged_then.votes_now
        and judged_now.majority_votes = judged_then.majority_now
        and judged_now.second_votes = judged_then.second_now
        and judged_now.single_vote_labels = judged_then.singles_now
    where judged_now.is_divided != judged_then.is_divided
    group by
        judged_now.dataset_id,
        judged_now.panel,
        judged_now.rule_id,
        judged_then.more_votes,
        judged_now.votes,
        judged_now.majority_votes,
        judged_now.second_votes,
        judged_now.single_vote_labels,
        judged_now.items,
        judged_now.is_divided

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
