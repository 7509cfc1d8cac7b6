{{ config(materialized='table') }}

with

annotators as (

    select * from {{ ref('dissent', 'annotator_attention') }}

),

thresholds as (

    select * from {{ ref('dissent', 'int_pass_thresholds') }}

),

levels as (

    select
        annotators.dataset_id,
        annotators.annotator_id,
        max(thresholds.pass_pct) as pass_level
    from annotators
    inner join thresholds
        on annotators.dataset_id = thresholds.dataset_id
        -- Integers and inclusive, as for the data set's own threshold; without checks every threshold is met.
        and 100 * annotators.attention_passed >= thresholds.pass_pct * annotators.attention_checks
    group by annotators.dataset_id, annotators.annotator_id

)

select
    annotators.dataset_id,
    annotators.annotator_id,
    -- Four bytes: there is one for each vote in int_vote_counts.
    cast(row_number() over (order by annotators.dataset_id, annotators.annotator_id) as int) as annotator_number,
    annotators.is_attentive,
    coalesce(levels.pass_level, 100) as pass_level,
    -- md5 is the same on every engine: an annotator's votes are all in one half, for good.
    substr(md5(annotators.annotator_id), 1, 1) < '8' as is_first_half,
    annotators.votes
from annotators
left join levels
    on annotators.dataset_id = levels.dataset_id
    and annotators.annotator_id = levels.annotator_id
