{{ config(materialized='table') }}

with

panels as (

    select * from {{ ref('dissent', 'int_panels') }}

),

lapse_rates as (

    select * from {{ ref('dissent', 'lapse_rates') }}

),

annotator_checks as (

    select * from {{ ref('dissent', 'int_annotator_checks') }}

),

failed as (

    select
        panels.dataset_id,
        panels.panel,
        cast(sum(annotator_checks.attention_checks) as bigint) as checks,
        cast(sum(annotator_checks.attention_checks - annotator_checks.attention_passed) as bigint) as failed
    from annotator_checks
    inner join panels
        on annotator_checks.dataset_id = panels.dataset_id
        and {{ is_in_panel('panels.panel', 'annotator_checks.is_attentive') }}
    group by panels.dataset_id, panels.panel

)

select
    panels.dataset_id,
    panels.panel,
    lapse_rates.lapse_id,
    lapse_rates.per_mille / 1000e0 as lapse_rate,
    cast(null as double) as lapse_rate_low,
    cast(null as double) as lapse_rate_high
from panels
cross join lapse_rates

union all

select
    dataset_id,
    panel,
    'attention_checks' as lapse_id,
    cast(failed as double) / checks as lapse_rate,
    {{ wilson_pct('failed', 'checks', 'low') }} / 100 as lapse_rate_low,
    {{ wilson_pct('failed', 'checks', 'high') }} / 100 as lapse_rate_high
from failed
where checks > 0
