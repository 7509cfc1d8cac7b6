{{ config(enabled=project_name == 'dissent') }}

with

model_labels as (

    select * from {{ ref('dissent', 'int_model_labels') }}

),

predictions as (

    select * from {{ ref('dissent', 'model_predictions') }}

),

mean_probabilities as (

    select
        dataset_id,
        model_set,
        item_id,
        label,
        -- A label that a model does not list has probability 0 there, so the sum is divided by all models below.
        sum(probability) as probability_sum
    from predictions
    group by dataset_id, model_set, item_id, label

),

agreed as (

    select
        dataset_id,
        model_set,
        item_id,
        count(*) as models,
        count(distinct label) as distinct_labels,
        min(label) as first_label,
        avg(confidence) as mean_confidence,
        avg(predictive_entropy) as mean_predictive_entropy
    from model_labels
    group by dataset_id, model_set, item_id

),

mixed as (

    select
        mean_probabilities.dataset_id,
        mean_probabilities.model_set,
        mean_probabilities.item_id,
        0 - sum(
            case
                when mean_probabilities.probability_sum > 0
                    then
                        mean_probabilities.probability_sum / agreed.models
                        * ln(mean_probabilities.probability_sum / agreed.models)
                when mean_probabilities.probability_sum = 0 then 0
            end
        ) as predictive_entropy_of_mean
    from mean_probabilities
    inner join agreed
        on mean_probabilities.dataset_id = agreed.dataset_id
        and mean_probabilities.model_set = agreed.model_set
        and mean_probabilities.item_id = agreed.item_id
    group by mean_probabilities.dataset_id, mean_probabilities.model_set, mean_probabilities.item_id

)

select
    agreed.dataset_id,
    agreed.model_set,
    agreed.item_id,
    agreed.models,
    agreed.distinct_labels,
    agreed.distinct_labels = 1 as is_unanimous,
    case when agreed.distinct_labels = 1 then agreed.first_label end as unanimous_label,
    agreed.mean_confidence,
    agreed.mean_predictive_entropy,
    mixed.predictive_entropy_of_mean
from agreed
inner join mixed
    on agreed.dataset_id = mixed.dataset_id
    and agreed.model_set = mixed.model_set
    and agreed.item_id = mixed.item_id
