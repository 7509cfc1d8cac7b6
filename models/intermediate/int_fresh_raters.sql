{{ config(materialized='table') }}

with

panels as (

    select * from {{ ref('dissent', 'panels') }}
    where items > 0

),

sizes as (

    select
        dataset_id,
        panel,
        cast(floor(median_votes_per_item / 2) as bigint) as raters
    from panels

    -- Two panels of this size can be had from every item.
    union

    select
        dataset_id,
        panel,
        cast(floor(min_votes_per_item / 2) as bigint) as raters
    from panels

    {% for raters in [5, 10] %}
    union

    select
        dataset_id,
        panel,
        cast({{ raters }} as bigint) as raters
    from panels
    {% endfor %}

)

-- Below three votes one dissent can't be told from a split.
select
    dataset_id,
    panel,
    raters
from sizes
where raters >= 3
