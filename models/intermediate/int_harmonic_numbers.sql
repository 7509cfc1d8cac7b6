{{ config(materialized='table') }}

with

largest as (

    select max(votes) as votes from {{ ref('dissent', 'int_count_patterns') }}

),

numbers as (

    select {{ series('1', 'votes') }} as n
    from largest

)

select
    cast(0 as bigint) as n,
    0e0 as harmonic

union all

select
    cast(n as bigint) as n,
    sum(1e0 / n) over (order by n) as harmonic
from numbers
