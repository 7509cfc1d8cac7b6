{{ config(enabled=project_name == 'dissent') }}

select
    file_name,
    item_id,
    label,
    votes
from {{ source('model_outputs', 'model_human_counts') }}
