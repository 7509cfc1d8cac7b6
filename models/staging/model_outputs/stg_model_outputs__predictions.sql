{{ config(enabled=project_name == 'dissent') }}

select
    file_name,
    file_row,
    model_id,
    item_id,
    label,
    probability
from {{ source('model_outputs', 'model_predictions') }}
