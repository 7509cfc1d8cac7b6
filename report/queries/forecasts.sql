-- One row per dated forecast: its status, what it estimates, and what other models give.
select
    forecasts.status,
    forecasts.statement,
    names.dataset || ', ' || forecasts.panel as votes_of,
    strftime(forecasts.deadline, '%-d %b %Y') as due,
    strftime(forecasts.as_of, '%-d %b %Y') as as_of,
    decimals(forecasts.estimate_pct, 1) || ' %' as estimate,
    decimals(forecasts.observed_pct, 1) || ' %' as observed,
    (
        select string_agg(proxies.model_set || ': ' || decimals(proxies.observed_pct, 1) || ' %', '; ' order by proxies.model_set)
        from forecast_proxies as proxies
        where proxies.forecast_id = forecasts.forecast_id
    ) as proxy
from forecasts
inner join dataset_names as names on forecasts.dataset_id = names.dataset_id
order by forecasts.deadline, forecasts.forecast_id
