-- Do models' uncertainties follow people's disagreement, and where are only people divided?
select
    profiles.dataset_id,
    profiles.model_set,
    profiles.panel,
    profiles.rule_id,
    profiles.human_only,
    profiles.hod_pct,
    profiles.human_only_if_independent,
    correlation.rho_predictive_entropy as rho_of_the_mean,
    correlation.published_abs_rho_low as published_abs_rho,
    profiles.provenance
from {{ ref('dissent', 'profile_sweep') }} as profiles
left join {{ ref('dissent', 'uncertainty_correlation') }} as correlation
    on profiles.dataset_id = correlation.dataset_id
    and profiles.model_set = correlation.model_set
    and profiles.panel = correlation.panel
    and correlation.model_id = 'mean of models'
inner join {{ ref('dissent', 'thresholds') }} as thresholds
    on profiles.rule_id = thresholds.rule_id
where profiles.panel in ('all', 'attentive') and thresholds.basis = 'second_label'
order by profiles.dataset_id, profiles.model_set, profiles.panel, thresholds.sort_order
