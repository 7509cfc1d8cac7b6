{{ config(enabled=project_name == 'dissent') }}

with

model_labels as (

    select * from {{ ref('dissent', 'int_model_labels') }}

),

model_agreement as (

    select * from {{ ref('dissent', 'model_agreement') }}

),

items as (

    select * from {{ ref('dissent', 'items') }}
    where normalised_entropy is not null

),

published as (

    select
        dataset_id,
        max(case when metric = 'abs_spearman_single_model_low' then expected end) as single_model_low,
        max(case when metric = 'abs_spearman_single_model_high' then expected end) as single_model_high,
        max(case when metric = 'abs_spearman_mean_predictive_entropy' then expected end) as mean_of_models
    from {{ ref('dissent', 'published_figures') }}
    group by dataset_id

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

uncertainties as (

    select
        dataset_id,
        model_set,
        model_id,
        false as is_mean,
        item_id,
        confidence,
        predictive_entropy
    from model_labels

    union all

    select
        dataset_id,
        model_set,
        'mean of models' as model_id,
        true as is_mean,
        item_id,
        mean_confidence as confidence,
        mean_predictive_entropy as predictive_entropy
    from model_agreement

),

paired as (

    select
        uncertainties.*,
        items.panel,
        -- Different votes can have one and the same entropy, and the last bit of the arithmetic must not rank them.
        round(items.normalised_entropy, 12) as normalised_entropy
    from uncertainties
    inner join items
        on uncertainties.dataset_id = items.dataset_id
        and uncertainties.item_id = items.item_id
    where uncertainties.confidence is not null

),

-- Spearman's rho is Pearson's of the ranks; equal values share the mean of their ranks.
{% set by_model = 'partition by dataset_id, model_set, model_id, panel' %}
ranked as (

    select
        *,
        {% for column in ['normalised_entropy', 'confidence', 'predictive_entropy'] %}
        rank() over ({{ by_model }} order by {{ column }})
        + (count(*) over ({{ by_model }}, {{ column }}) - 1) / cast(2 as double) as {{ column }}_rank
        {% if not loop.last %},{% endif %}
        {% endfor %}
    from paired

),

correlated as (

    select
        dataset_id,
        model_set,
        model_id,
        is_mean,
        panel,
        count(*) as items,
        corr(confidence_rank, normalised_entropy_rank) as rho_confidence,
        corr(predictive_entropy_rank, normalised_entropy_rank) as rho_predictive_entropy
    from ranked
    group by dataset_id, model_set, model_id, is_mean, panel

)

select
    correlated.dataset_id,
    correlated.model_set,
    correlated.model_id,
    correlated.panel,
    correlated.items,
    case when correlated.rho_confidence between -1.1 and 1.1 then correlated.rho_confidence end as rho_confidence,
    case
        when correlated.rho_predictive_entropy between -1.1 and 1.1 then correlated.rho_predictive_entropy
    end as rho_predictive_entropy,
    case
        when correlated.is_mean then published.mean_of_models else published.single_model_low
    end as published_abs_rho_low,
    case
        when correlated.is_mean then published.mean_of_models else published.single_model_high
    end as published_abs_rho_high,
    provenance.provenance
from correlated
left join published
    on correlated.dataset_id = published.dataset_id
left join provenance
    on correlated.dataset_id = provenance.dataset_id
