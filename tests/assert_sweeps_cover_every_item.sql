-- Each rule judges every item with votes exactly once, over all panels and over the classes of one panel.
-- Returns the data sets, panels and rules whose items differ.
with

panels as (

    select * from {{ ref('dissent', 'panels') }}
    where items > 0

),

thresholds as (

    select * from {{ ref('dissent', 'thresholds') }}

),

sweep as (

    select * from {{ ref('dissent', 'threshold_sweep') }}

),

by_label as (

    select
        dataset_id,
        panel,
        rule_id,
        cast(sum(items) as bigint) as items
    from {{ ref('dissent', 'threshold_sweep_by_label') }}
    group by dataset_id, panel, rule_id

)

select
    panels.dataset_id,
    panels.panel,
    thresholds.rule_id,
    panels.items,
    sweep.items as sweep_items,
    by_label.items as label_items
from panels
cross join thresholds
left join sweep
    on panels.dataset_id = sweep.dataset_id
    and panels.panel = sweep.panel
    and thresholds.rule_id = sweep.rule_id
left join by_label
    on panels.dataset_id = by_label.dataset_id
    and panels.panel = by_label.panel
    and thresholds.rule_id = by_label.rule_id
where
    panels.items != coalesce(sweep.items, 0)
    or panels.items != coalesce(by_label.items, 0)
