{{ config(enabled=project_name == 'dissent') }}

with

correlations as (

    select * from {{ ref('dissent', 'uncertainty_correlation') }}

),

ceilings as (

    select * from {{ ref('dissent', 'noise_ceiling') }}

)

select
    correlations.dataset_id,
    correlations.panel,
    correlations.model_set,
    correlations.model_id,
    correlations.rho_predictive_entropy as rho,
    ceilings.rho_ceiling,
    100 * correlations.rho_predictive_entropy / ceilings.rho_ceiling as rho_of_ceiling_pct,
    case
        when correlations.rho_predictive_entropy is null then 'the model has no rho here: see uncertainty_correlation'
        else ceilings.reason
    end as reason,
    correlations.provenance
from correlations
inner join ceilings
    on correlations.dataset_id = ceilings.dataset_id
    and correlations.panel = ceilings.panel
