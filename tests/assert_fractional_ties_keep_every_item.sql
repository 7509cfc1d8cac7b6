-- Splitting ties moves items between labels and loses none: over the labels both ways of counting have the same
-- total, divided items included. Returns the data sets, panels and rules whose totals differ.
select
    dataset_id,
    panel,
    rule_id,
    sum(items) as items,
    sum(items_fractional) as items_fractional
from {{ ref('dissent', 'threshold_sweep_by_label') }}
group by dataset_id, panel, rule_id
having
    abs(sum(items) - sum(items_fractional)) > 1e-6
    or abs(sum(divided) - sum(divided_fractional)) > 1e-6
