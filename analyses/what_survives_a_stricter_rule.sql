-- How much of the headline survives a stricter rule, and what does that leave of human-only disagreement?
select
    sweep.dataset_id,
    sweep.panel,
    sweep.rule_id,
    sweep.divided,
    sweep.divided_pct,
    bounds.hod_lower_pct,
    bounds.hod_upper_pct,
    bounds.assumption,
    sweep.provenance
from {{ ref('dissent', 'threshold_sweep') }} as sweep
left join {{ ref('dissent', 'hod_bounds') }} as bounds
    on sweep.dataset_id = bounds.dataset_id
    and sweep.panel = bounds.panel
    and sweep.rule_id = bounds.rule_id
where sweep.panel in ('all', 'attentive') and sweep.basis = 'second_label'
order by sweep.dataset_id, sweep.panel, sweep.rule_order
