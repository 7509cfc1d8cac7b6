{{ config(materialized='table') }}

with

-- Usually none, which the engine sees without reading the votes.
votes as (

    select * from {{ ref('dissent', 'int_votes') }}
    where weight > 1

),

items as (

    select * from {{ ref('dissent', 'int_voted_items') }}

),

labels as (

    select * from {{ ref('dissent', 'int_labels') }}

),

annotator_groups as (

    select * from {{ ref('dissent', 'int_annotator_groups') }}

)

select
    items.item_number,
    labels.label_order,
    annotator_groups.annotator_number,
    cast(sum(votes.weight - 1) as bigint) as further_votes
from votes
inner join items
    on votes.dataset_id = items.dataset_id
    and votes.item_id = items.item_id
inner join labels
    on votes.dataset_id = labels.dataset_id
    and votes.label = labels.label
inner join annotator_groups
    on votes.dataset_id = annotator_groups.dataset_id
    and votes.annotator_id = annotator_groups.annotator_id
group by items.item_number, labels.label_order, annotator_groups.annotator_number
