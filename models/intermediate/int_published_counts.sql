{{ config(enabled=project_name == 'dissent') }}

with

cifar10h as (

    select * from {{ ref('dissent', 'stg_cifar10h__published_counts') }}

),

labels as (

    select * from {{ ref('dissent', 'labels') }}

)

select
    labels.dataset_id,
    cifar10h.item_id,
    labels.label,
    cifar10h.votes
from cifar10h
inner join labels
    on cifar10h.label_order = labels.label_order
where labels.dataset_id = 'cifar10h'
