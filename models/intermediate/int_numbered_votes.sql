with

voted_labels as (

    select * from {{ ref('dissent', 'int_voted_labels') }}

),

weighted_votes as (

    select * from {{ ref('dissent', 'int_weighted_votes') }}

),

items as (

    select * from {{ ref('dissent', 'int_voted_items') }}

),

labels as (

    select * from {{ ref('dissent', 'int_labels') }}

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
    items.item_number,
    cast(labels.label_order as int) as label_order,
    weighted_votes.annotator_number,
    weighted_votes.further_votes as weight
from weighted_votes
inner join items
    on weighted_votes.dataset_id = items.dataset_id
    and weighted_votes.item_id = items.item_id
inner join labels
    on weighted_votes.dataset_id = labels.dataset_id
    and weighted_votes.label = labels.label
