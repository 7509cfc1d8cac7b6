{{ config(materialized='table', enabled=project_name == 'dissent') }}

with

items as (

    select * from {{ ref('dissent', 'items') }}
    where votes > 0

),

labels as (

    select * from {{ ref('dissent', 'int_labels') }}

),

averaged as (

    select
        dataset_id,
        panel,
        majority_label,
        count(*) as items,
        avg(normalised_entropy) as mean_normalised_entropy
    from items
    group by dataset_id, panel, majority_label

)

select
    averaged.dataset_id,
    averaged.panel,
    averaged.majority_label,
    averaged.items,
    averaged.mean_normalised_entropy,
    row_number() over (
        partition by averaged.dataset_id, averaged.panel
        order by averaged.mean_normalised_entropy desc nulls last, labels.label_order asc
    ) as entropy_rank
from averaged
inner join labels
    on averaged.dataset_id = labels.dataset_id
    and averaged.majority_label = labels.label
