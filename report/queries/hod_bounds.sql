-- One row per data set, panel, rule and model set that landed: bounds of human-only disagreement and its exact value.
select
    names.dataset_id,
    names.dataset,
    coalesce(bounds.panel, exact.panel) as panel,
    names.dataset || ', ' || coalesce(bounds.panel, exact.panel) as part,
    rules.rule,
    rules.rule_order,
    bounds.hod_lower_pct,
    bounds.hod_upper_pct,
    exact.model_set,
    exact.models,
    exact.hod_pct as exact_hod_pct,
    decimals(bounds.hod_lower_pct, 1) || '–' || decimals(bounds.hod_upper_pct, 1) as bounds_text
from hod_bounds as bounds
full join profile_sweep as exact
    on
        bounds.dataset_id = exact.dataset_id
        and bounds.panel = exact.panel
        and bounds.rule_id = exact.rule_id
inner join dataset_names as names on names.dataset_id = coalesce(bounds.dataset_id, exact.dataset_id)
inner join rule_names as rules on rules.rule_id = coalesce(bounds.rule_id, exact.rule_id)
where
    rules.basis = 'second_label'
    and (bounds.hod_lower_pct is not null or exact.hod_pct is not null)
    and coalesce(bounds.panel, exact.panel) != 'dropped'
order by names.dataset_order, panel, rules.rule_order, exact.model_set
