-- Every vote of an item is in one of its two halves, whatever they were split by. Returns the panels whose halves
-- together have more or fewer items or votes.
with

halved as (

    select
        dataset_id,
        panel,
        sum(items) as items,
        sum(items * (first_votes + second_votes)) as votes
    from {{ ref('dissent', 'int_half_patterns') }}
    group by dataset_id, panel

),

counted as (

    select
        dataset_id,
        panel,
        count(distinct item_id) as items,
        sum(votes) as votes
    from {{ ref('dissent', 'vote_counts') }}
    group by dataset_id, panel

)

select
    counted.dataset_id,
    counted.panel
from counted
full outer join halved
    on counted.dataset_id = halved.dataset_id
    and counted.panel = halved.panel
where
    coalesce(counted.items, 0) != coalesce(halved.items, 0)
    or coalesce(counted.votes, 0) != coalesce(halved.votes, 0)
