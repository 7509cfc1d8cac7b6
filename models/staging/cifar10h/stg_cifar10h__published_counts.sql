{{ config(enabled=project_name == 'dissent') }}

select
    cast(item_index as string) as item_id,
    label_index + 1 as label_order,
    votes
from {{ source('cifar10h', 'cifar10h_counts') }}
