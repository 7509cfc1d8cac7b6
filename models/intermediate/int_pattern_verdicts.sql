{{ config(materialized='table') }}

with

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

thresholds as (

    select * from {{ ref('dissent', 'thresholds') }}

)

select
    patterns.count_pattern,
    thresholds.rule_id,
    {{ is_divided('patterns', 'thresholds') }} as is_divided
from patterns
cross join thresholds
