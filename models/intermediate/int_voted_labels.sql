{{ config(materialized='table') }}

with

vote_counts as (

    select * from {{ ref('dissent', 'int_vote_counts') }}

),

items as (

    select * from {{ ref('dissent', 'int_voted_items') }}

),

labels as (

    select * from {{ ref('dissent', 'int_labels') }}

)

-- Numbers are grouped and joined in half the time that texts take.
select
    items.item_number,
    cast(labels.label_order as int) as label_order,
    vote_counts.votes,
    items.votes as item_votes,
    items.labels_seen,
    vote_counts.label != items.majority_label as is_dissent,
    vote_counts.label != items.majority_label and items.dissenting_votes = 1 as is_sole_dissent,
    vote_counts.annotator_numbers
from vote_counts
inner join items
    on vote_counts.dataset_id = items.dataset_id
    and vote_counts.item_id = items.item_id
inner join labels
    on vote_counts.dataset_id = labels.dataset_id
    and vote_counts.label = labels.label
