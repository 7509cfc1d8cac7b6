{{ config(enabled=project_name == 'dissent') }}

with

forecasts as (

    select * from {{ ref('dissent', 'forecasts') }}

),

profile_sweep as (

    select * from {{ ref('dissent', 'profile_sweep') }}

),

model_agreement as (

    select * from {{ ref('dissent', 'model_agreement') }}

),

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

),

verdicts as (

    select * from {{ ref('dissent', 'int_pattern_verdicts') }}
    where rule_id = 'any_vote'

),

judged as (

    select
        item_patterns.dataset_id,
        item_patterns.panel,
        item_patterns.item_id,
        verdicts.is_divided
    from item_patterns
    inner join verdicts
        on item_patterns.count_pattern = verdicts.count_pattern

),

-- The forecast assumes that the flipped items behave like those all annotators agree on.
assumed as (

    select
        everyone.dataset_id,
        model_agreement.model_set,
        count(*) filter (where everyone.is_divided and not attentive.is_divided) as flipped_items,
        count(*) filter (
            where everyone.is_divided and not attentive.is_divided and model_agreement.is_unanimous
        ) as models_unanimous_on_flipped,
        count(*) filter (where not everyone.is_divided) as unanimous_items,
        count(*) filter (
            where not everyone.is_divided and model_agreement.is_unanimous
        ) as models_unanimous_on_unanimous
    from judged as everyone
    inner join judged as attentive
        on everyone.dataset_id = attentive.dataset_id
        and everyone.item_id = attentive.item_id
        and attentive.panel = 'attentive'
    inner join model_agreement
        on everyone.dataset_id = model_agreement.dataset_id
        and everyone.item_id = model_agreement.item_id
    where everyone.panel = 'all'
    group by everyone.dataset_id, model_agreement.model_set

)

select
    forecasts.forecast_id,
    profile_sweep.model_set,
    profile_sweep.models,
    profile_sweep.hod_pct as observed_pct,
    assumed.flipped_items,
    100e0 * assumed.models_unanimous_on_flipped
    / nullif(assumed.flipped_items, 0) as models_unanimous_on_flipped_pct,
    assumed.unanimous_items,
    100e0 * assumed.models_unanimous_on_unanimous
    / nullif(assumed.unanimous_items, 0) as models_unanimous_on_unanimous_pct,
    forecasts.provenance
from forecasts
inner join profile_sweep
    on forecasts.dataset_id = profile_sweep.dataset_id
    and forecasts.panel = profile_sweep.panel
    and forecasts.rule_id = profile_sweep.rule_id
    and forecasts.model_set != profile_sweep.model_set
inner join assumed
    on profile_sweep.dataset_id = assumed.dataset_id
    and profile_sweep.model_set = assumed.model_set
