-- A stricter rule divides a part of the same items, so neither of its bounds lies above the looser rule's.
-- Returns the pairs of rules whose bounds are the wrong way round.
{{ config(enabled=project_name == 'dissent') }}
with

bounds as (

    select
        hod_bounds.*,
        thresholds.min_votes,
        thresholds.min_share_pct,
        thresholds.basis
    from {{ ref('dissent', 'hod_bounds') }} as hod_bounds
    inner join {{ ref('dissent', 'thresholds') }} as thresholds
        on hod_bounds.rule_id = thresholds.rule_id
    where not thresholds.drop_single_votes and hod_bounds.reason is null

)

select
    loose.dataset_id,
    loose.panel,
    loose.rule_id as loose_rule,
    strict.rule_id as strict_rule
from bounds as loose
inner join bounds as strict
    on loose.dataset_id = strict.dataset_id
    and loose.panel = strict.panel
    and loose.min_votes <= strict.min_votes
    and loose.min_share_pct <= strict.min_share_pct
    and (loose.basis = strict.basis or strict.basis = 'second_label')
where strict.hod_lower > loose.hod_lower or strict.hod_upper > loose.hod_upper
