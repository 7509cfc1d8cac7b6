{{ config(materialized='table') }}

with

datasets as (

    select * from {{ ref('dissent', 'int_datasets') }}

),

checked as (

    select distinct dataset_id from {{ ref('dissent', 'int_annotator_checks') }}

),

steps as (

    select {{ series(0, 20) }} as step

),

-- The data set's own threshold need not be a multiple of five.
thresholds as (

    select
        checked.dataset_id,
        cast(5 * steps.step as bigint) as pass_pct
    from checked
    cross join steps

    union distinct

    select
        checked.dataset_id,
        datasets.attention_pass_pct as pass_pct
    from checked
    inner join datasets
        on checked.dataset_id = datasets.dataset_id

)

select
    thresholds.dataset_id,
    thresholds.pass_pct,
    thresholds.pass_pct = datasets.attention_pass_pct as is_own_threshold
from thresholds
inner join datasets
    on thresholds.dataset_id = datasets.dataset_id
