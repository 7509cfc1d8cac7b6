-- In each cell the attentive and the dropped annotators' votes add up to all votes. Returns the cells that don't.
with

cells as (

    select
        dataset_id,
        item_id,
        label,
        coalesce(sum(votes) filter (where panel = 'all'), 0) as all_votes,
        coalesce(sum(votes) filter (where panel != 'all'), 0) as kept_and_dropped
    from {{ ref('dissent', 'vote_counts') }}
    group by dataset_id, item_id, label

),

checked as (

    select distinct dataset_id from {{ ref('dissent', 'int_panels') }}
    where panel != 'all'

)

select cells.*
from cells
inner join checked
    on cells.dataset_id = checked.dataset_id
where cells.all_votes != cells.kept_and_dropped
