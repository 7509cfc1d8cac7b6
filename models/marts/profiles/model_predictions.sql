{{ config(enabled=project_name == 'dissent') }}

with

predictions as (

    select * from {{ ref('dissent', 'stg_model_outputs__predictions') }}

),

model_files as (

    select * from {{ ref('dissent', 'model_files') }}

)

select
    model_files.dataset_id,
    model_files.model_set,
    -- A name corrected in the seed counts at once, without landing the file again.
    coalesce(model_files.model_id, predictions.model_id) as model_id,
    predictions.item_id,
    predictions.label,
    predictions.probability
from predictions
inner join model_files
    on predictions.file_name = model_files.file_name
