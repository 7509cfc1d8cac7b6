{{ config(materialized='table') }}

with

votes as (

    select * from {{ ref('dissent', 'int_votes') }}

),

-- Some reaction times are negative: no person chose before the image was there.
voted as (

    select
        dataset_id,
        annotator_id,
        cast(sum(weight) as bigint) as votes,
        cast(coalesce(sum(weight) filter (where true_label is not null), 0) as bigint) as votes_with_true_label,
        cast(coalesce(sum(weight) filter (where label = true_label), 0) as bigint) as correct_votes,
        {{ percentiles('case when reaction_time_ms > 0 then reaction_time_ms end', [0.1, 0.5, 0.9]) }} as reaction_times
    from votes
    group by dataset_id, annotator_id

)

select
    dataset_id,
    annotator_id,
    votes,
    votes_with_true_label,
    correct_votes,
    {{ element_at_position('reaction_times', 1) }} as p10_reaction_time_ms,
    {{ element_at_position('reaction_times', 2) }} as median_reaction_time_ms,
    {{ element_at_position('reaction_times', 3) }} as p90_reaction_time_ms
from voted
