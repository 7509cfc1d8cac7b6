{{ config(materialized='table') }}

with

vote_shares as (

    select * from {{ ref('dissent', 'vote_shares') }}

),

-- Read twice: DuckDB would keep all shares in memory between two uses of one CTE.
vote_shares_again as (

    select * from {{ ref('dissent', 'vote_shares') }}

)

select
    one.dataset_id,
    one.panel,
    one.label,
    other.label as other_label,
    one.total_votes as item_votes,
    one.votes,
    other.votes as other_votes,
    count(*) as items
from vote_shares as one
inner join vote_shares_again as other
    on one.dataset_id = other.dataset_id
    and one.panel = other.panel
    and one.item_id = other.item_id
    and one.label != other.label
-- A panel is all but one on the label only where the label has most of the votes drawn.
where one.votes >= 2
group by
    one.dataset_id, one.panel, one.label, other.label, one.total_votes, one.votes, other.votes
