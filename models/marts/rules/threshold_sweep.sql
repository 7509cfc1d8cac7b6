with

sweep_by_label as (

    select * from {{ ref('dissent', 'threshold_sweep_by_label') }}

),

panels as (

    select * from {{ ref('dissent', 'panels') }}

),

swept as (

    select
        dataset_id,
        panel,
        rule_id,
        cast(sum(items) as bigint) as items,
        cast(sum(divided) as bigint) as divided,
        cast(sum(unanimous) as bigint) as unanimous,
        cast(sum(no_verdict) as bigint) as no_verdict
    from sweep_by_label
    group by dataset_id, panel, rule_id

),

thresholds as (

    select * from {{ ref('dissent', 'thresholds') }}

)

select
    swept.dataset_id,
    swept.panel,
    swept.rule_id,
    swept.items,
    swept.divided,
    swept.unanimous,
    swept.no_verdict,
    100e0 * swept.divided / nullif(swept.divided + swept.unanimous, 0) as divided_pct,
    {{ wilson_pct("swept.divided", "(swept.divided + swept.unanimous)", 'low') }} as divided_pct_low,
    {{ wilson_pct("swept.divided", "(swept.divided + swept.unanimous)", 'high') }} as divided_pct_high,
    panels.items_without_votes,
    thresholds.min_votes,
    thresholds.min_share_pct,
    thresholds.basis,
    thresholds.drop_single_votes,
    thresholds.sort_order as rule_order,
    panels.provenance
from swept
inner join thresholds
    on swept.rule_id = thresholds.rule_id
inner join panels
    on swept.dataset_id = panels.dataset_id
    and swept.panel = panels.panel
