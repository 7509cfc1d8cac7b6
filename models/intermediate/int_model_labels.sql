{{ config(materialized='table', enabled=project_name == 'dissent') }}

with

predictions as (

    select * from {{ ref('dissent', 'model_predictions') }}

),

labels as (

    select * from {{ ref('dissent', 'int_labels') }}

),

ranked as (

    select
        predictions.*,
        row_number() over (
            partition by predictions.dataset_id, predictions.model_set, predictions.model_id, predictions.item_id
            order by predictions.probability desc nulls last, labels.label_order nulls last, predictions.label
        ) as label_rank
    from predictions
    left join labels
        on predictions.dataset_id = labels.dataset_id
        and predictions.label = labels.label

)

select
    dataset_id,
    model_set,
    model_id,
    item_id,
    max(label) filter (where label_rank = 1) as label,
    max(probability) as confidence,
    -- p ln p goes to 0 with p; a file of chosen labels has no probabilities and so no entropy.
    0 - sum(case when probability > 0 then probability * ln(probability) when probability = 0 then 0 end)
        as predictive_entropy
from ranked
group by dataset_id, model_set, model_id, item_id
