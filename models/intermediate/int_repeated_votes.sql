{{ config(materialized='table') }}

with

votes as (

    select * from {{ ref('dissent', 'int_numbered_votes') }}

),

neighbours as (

    select
        annotator_number,
        item_number,
        label_order,
        weight,
        lag(annotator_number) over by_annotator as annotator_before,
        lead(annotator_number) over by_annotator as annotator_after
    from votes
    window by_annotator as (
        partition by item_number
        order by annotator_number
    )

),

-- Usually none. Sorting an item's few votes takes half the time of counting annotators x items.
repeated as (

    select *
    from neighbours
    where annotator_number in (annotator_before, annotator_after)

),

by_label as (

    select
        annotator_number,
        item_number,
        label_order,
        cast(sum(weight) as bigint) as own_label_votes
    from repeated
    group by annotator_number, item_number, label_order

)

select
    annotator_number,
    item_number,
    label_order,
    own_label_votes,
    cast(sum(own_label_votes) over (partition by annotator_number, item_number) as bigint) as own_item_votes
from by_label
