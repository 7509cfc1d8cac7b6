with

voted_labels as (

    select * from {{ ref('dissent', 'int_voted_labels') }}

),

weighted_votes as (

    select * from {{ ref('dissent', 'int_weighted_votes') }}

),

numbered as (

    select
        item_number,
        label_order,
        {{ exploded('annotator_numbers') }} as annotator_number
    from voted_labels

)

select
    item_number,
    label_order,
    annotator_number,
    cast(1 as bigint) as weight
from numbered

union all

select
    item_number,
    label_order,
    annotator_number,
    further_votes as weight
from weighted_votes
