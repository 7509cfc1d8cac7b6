{{ config(materialized='table') }}

select
    dataset_id,
    panel,
    majority_label,
    count_pattern,
    count(*) as items
from {{ ref('dissent', 'int_item_patterns') }}
group by dataset_id, panel, majority_label, count_pattern
