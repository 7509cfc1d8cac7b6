-- What would prove the forecasts wrong, and what do the models at hand say meanwhile?
select
    forecasts.forecast_id,
    forecasts.statement,
    forecasts.status,
    forecasts.deadline,
    forecasts.estimate_pct,
    forecasts.observed_pct,
    proxies.model_set as other_model_set,
    proxies.observed_pct as other_models_pct,
    proxies.models_unanimous_on_flipped_pct,
    proxies.models_unanimous_on_unanimous_pct,
    forecasts.provenance
from {{ ref('dissent', 'forecasts') }} as forecasts
left join {{ ref('dissent', 'forecast_proxies') }} as proxies
    on forecasts.forecast_id = proxies.forecast_id
order by forecasts.forecast_id, proxies.model_set
