-- One row per data set, panel and rule: divided items in per cent with their interval.
select
    names.dataset_id,
    names.dataset,
    sweep.panel,
    names.dataset || ', ' || sweep.panel as series,
    rules.basis_name as part,
    rules.rule,
    rules.rule_order,
    rules.rule_scale,
    sweep.items,
    sweep.divided,
    sweep.divided_pct,
    sweep.divided_pct_low,
    sweep.divided_pct_high,
    decimals(sweep.divided_pct, 2) as divided_text,
    decimals(sweep.divided_pct_low, 1) || '–' || decimals(sweep.divided_pct_high, 1) as interval_text
from threshold_sweep as sweep
inner join dataset_names as names on sweep.dataset_id = names.dataset_id
inner join rule_names as rules on sweep.rule_id = rules.rule_id
where sweep.divided_pct is not null
order by rules.basis_order, names.dataset_order, sweep.panel, rules.rule_order
