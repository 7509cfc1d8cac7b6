-- One row per data set, panel, rule of whole votes and number of raters: divided items in per cent.
select
    names.dataset_id,
    names.dataset,
    curve.panel,
    names.dataset || ', ' || curve.panel as series,
    rules.rule as part,
    curve.raters,
    100 * curve.divided_rate as divided_pct,
    curve.items,
    100 * curve.coverage as coverage_pct
from rarefaction_curve as curve
inner join dataset_names as names on curve.dataset_id = names.dataset_id
inner join rule_names as rules on curve.rule_id = rules.rule_id
-- A share rule asks for another whole number of votes at each size: its curve is a sawtooth.
where curve.divided_rate is not null and curve.warning is null and curve.panel != 'dropped'
order by rules.rule_order, names.dataset_order, curve.panel, curve.raters
