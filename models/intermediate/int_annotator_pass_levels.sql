{{ config(materialized='table') }}

with

annotators as (

    select * from {{ ref('dissent', 'annotator_attention') }}

),

thresholds as (

    select * from {{ ref('dissent', 'int_pass_thresholds') }}

)

select
    annotators.dataset_id,
    annotators.annotator_id,
    -- Integers and inclusive, as for the data set's own threshold; without checks every threshold is met.
    max(thresholds.pass_pct) as pass_level,
    max(annotators.votes) as votes
from annotators
inner join thresholds
    on annotators.dataset_id = thresholds.dataset_id
    and 100 * annotators.attention_passed >= thresholds.pass_pct * annotators.attention_checks
group by annotators.dataset_id, annotators.annotator_id
