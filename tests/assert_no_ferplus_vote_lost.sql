-- The emotion votes of the FER+ rows with an image name all arrive in vote_counts: the item ids must not
-- merge rows, and the splits must not overlap. Returns the splits whose sums differ.
{{ config(enabled=project_name == 'dissent') }}
with

landed as (

    select
        case usage
            when 'PrivateTest' then 'ferplus'
            when 'PublicTest' then 'ferplus_public_test'
            else 'ferplus_training'
        end as dataset_id,
        cast(sum(neutral + happiness + surprise + sadness + anger + disgust + fear + contempt) as bigint) as votes
    from {{ source('ferplus', 'ferplus') }}
    where image_name is not null
    group by usage

),

counted as (

    select
        dataset_id,
        cast(sum(votes) as bigint) as votes
    from {{ ref('dissent', 'vote_counts') }}
    group by dataset_id

)

select
    landed.dataset_id,
    landed.votes as landed_votes,
    counted.votes as counted_votes
from landed
left join counted
    on landed.dataset_id = counted.dataset_id
where landed.votes != coalesce(counted.votes, 0)
