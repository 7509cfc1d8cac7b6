with

vote_counts as (

    select * from {{ ref('dissent', 'int_vote_counts') }}

),

panels as (

    select * from {{ ref('dissent', 'int_panels') }}

),

counted as (

    select
        vote_counts.dataset_id,
        panels.panel,
        vote_counts.item_id,
        vote_counts.label,
        case panels.panel
            when 'all' then vote_counts.votes
            when 'attentive' then vote_counts.votes - vote_counts.dropped_votes
            when 'dropped' then vote_counts.dropped_votes
        end as votes
    from vote_counts
    inner join panels
        on vote_counts.dataset_id = panels.dataset_id

)

select
    dataset_id,
    panel,
    item_id,
    label,
    votes
from counted
where votes > 0
