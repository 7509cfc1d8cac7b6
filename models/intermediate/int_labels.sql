{{ config(materialized='table') }}

with

declared as (

    select * from {{ ref('dissent', 'int_declared_labels') }}

),

seen as (

    select distinct
        dataset_id,
        label
    from {{ ref('dissent', 'int_vote_counts') }}

),

undeclared as (

    select
        seen.dataset_id,
        seen.label
    from seen
    left join declared
        on seen.dataset_id = declared.dataset_id
        and seen.label = declared.label
    where declared.label is null

),

all_labels as (

    select
        dataset_id,
        label,
        label_order
    from declared

    union all

    select
        dataset_id,
        label,
        cast(null as bigint) as label_order
    from undeclared

)

select
    dataset_id,
    label,
    row_number() over (partition by dataset_id order by label_order nulls last, label) as label_order,
    label_order is not null as is_declared,
    count(*) over (partition by dataset_id) as labels
from all_labels
