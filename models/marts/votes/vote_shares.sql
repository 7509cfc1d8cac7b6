with

vote_counts as (

    select * from {{ ref('dissent', 'vote_counts') }}

),

labels as (

    select * from {{ ref('dissent', 'int_labels') }}

),

ranked as (

    select
        vote_counts.dataset_id,
        vote_counts.panel,
        vote_counts.item_id,
        vote_counts.label,
        vote_counts.votes,
        sum(vote_counts.votes) over by_item as total_votes,
        row_number() over by_rank as label_rank,
        first_value(vote_counts.votes) over by_rank as majority_votes,
        lead(vote_counts.votes) over by_rank as next_votes
    from vote_counts
    inner join labels
        on vote_counts.dataset_id = labels.dataset_id
        and vote_counts.label = labels.label
    window
        by_item as (partition by vote_counts.dataset_id, vote_counts.panel, vote_counts.item_id),
        by_rank as (
            partition by vote_counts.dataset_id, vote_counts.panel, vote_counts.item_id
            order by vote_counts.votes desc, labels.label_order asc
        )

)

select
    dataset_id,
    panel,
    item_id,
    label,
    votes,
    cast(total_votes as bigint) as total_votes,
    cast(votes as double) / total_votes as share,
    cast(label_rank as bigint) as label_rank,
    label_rank = 1 as is_majority,
    votes = majority_votes and (label_rank > 1 or coalesce(next_votes = votes, false)) as is_tied
from ranked
