{{ config(materialized='table') }}

with

checks as (

    select * from {{ ref('dissent', 'int_attention_checks') }}

),

datasets as (

    select * from {{ ref('dissent', 'int_datasets') }}

),

counted as (

    select
        dataset_id,
        annotator_id,
        count(*) as attention_checks,
        count(*) filter (where is_passed) as attention_passed
    from checks
    group by dataset_id, annotator_id

)

select
    counted.dataset_id,
    counted.annotator_id,
    counted.attention_checks,
    counted.attention_passed,
    -- Integers: 0.8 has no exact binary form, and the threshold is inclusive.
    100 * counted.attention_passed >= datasets.attention_pass_pct * counted.attention_checks as is_attentive
from counted
inner join datasets
    on counted.dataset_id = datasets.dataset_id
