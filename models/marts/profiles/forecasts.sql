{{ config(enabled=project_name == 'dissent') }}

with

forecasts as (

    select * from {{ ref('dissent', 'dated_forecasts') }}

),

profile_sweep as (

    select * from {{ ref('dissent', 'profile_sweep') }}

),

effects as (

    select * from {{ ref('dissent', 'dropped_annotator_effect') }}

),

cells as (

    select * from {{ ref('dissent', 'paper_profiles') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

resolved as (

    select
        forecasts.forecast_id,
        forecasts.dataset_id,
        forecasts.panel,
        forecasts.rule_id,
        forecasts.model_set,
        forecasts.models as models_needed,
        forecasts.statement,
        forecasts.held_below_pct,
        forecasts.refuted_above_pct,
        cast(forecasts.deadline as date) as deadline,
        cast('{{ as_of() }}' as date) as as_of,
        -- The estimate is about the attentive panel under any_vote; no formula is given for other rules.
        case
            when forecasts.panel = 'attentive' and forecasts.rule_id = 'any_vote'
                then
                    100 * (
                        cells.human_only
                        - cast(effects.flipped_to_divided as double)
                        * cells.agreement / (cells.agreement + cells.model_only)
                    ) / cells.items
        end as estimate_pct,
        -- A part of the models, or predictions for a part of the items, resolves nothing.
        case
            when profile_sweep.models = forecasts.models and profile_sweep.items = cells.items
                then profile_sweep.hod_pct
        end as observed_pct,
        profile_sweep.models_provenance
    from forecasts
    left join profile_sweep
        on forecasts.dataset_id = profile_sweep.dataset_id
        and forecasts.panel = profile_sweep.panel
        and forecasts.rule_id = profile_sweep.rule_id
        and forecasts.model_set = profile_sweep.model_set
    left join effects
        on forecasts.dataset_id = effects.dataset_id
        and forecasts.rule_id = effects.rule_id
    left join cells
        on forecasts.dataset_id = cells.dataset_id

)

select
    resolved.forecast_id,
    resolved.dataset_id,
    resolved.panel,
    resolved.rule_id,
    resolved.model_set,
    resolved.models_needed,
    resolved.statement,
    resolved.held_below_pct,
    resolved.refuted_above_pct,
    resolved.deadline,
    resolved.as_of,
    resolved.estimate_pct,
    resolved.observed_pct,
    case
        when resolved.observed_pct < resolved.held_below_pct then 'held'
        when resolved.observed_pct > resolved.refuted_above_pct then 'refuted'
        when resolved.observed_pct is not null then 'failed'
        when resolved.as_of > resolved.deadline then 'lapsed'
        else 'open'
    end as status,
    case when resolved.observed_pct is not null then resolved.models_provenance end as models_provenance,
    provenance.provenance
from resolved
left join provenance
    on resolved.dataset_id = provenance.dataset_id
