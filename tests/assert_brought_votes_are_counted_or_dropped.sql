-- Votes in = votes counted + votes dropped, for every data set of your own. Returns the data sets that differ.
with

staged as (

    {% for dataset_id in var('brought', []) %}
    select
        '{{ dataset_id }}' as dataset_id,
        cast(sum(weight) as bigint) as votes
    from {{ ref('dissent', 'stg_' ~ dataset_id ~ '__votes') }}

    union all
    {% endfor %}

    select
        dataset_id,
        cast(sum(weight) as bigint) as votes
    from {{ ref('dissent', 'stg_warehouse__votes') }}
    group by dataset_id

),

counted as (

    select
        dataset_id,
        cast(sum(votes) as bigint) as votes
    from {{ ref('dissent', 'vote_counts') }}
    where panel = 'all'
    group by dataset_id

),

dropped as (

    select
        dataset_id,
        cast(sum(votes) as bigint) as votes
    from {{ ref('dissent', 'dropped_votes') }}
    group by dataset_id

)

select
    staged.dataset_id,
    staged.votes,
    counted.votes as counted_votes,
    dropped.votes as dropped_votes
from staged
left join counted
    on staged.dataset_id = counted.dataset_id
left join dropped
    on staged.dataset_id = dropped.dataset_id
where staged.votes != coalesce(counted.votes, 0) + coalesce(dropped.votes, 0)
