-- Which classes are divided under a loose and under a strict rule, ties by label order and split?
select
    loose.dataset_id,
    loose.panel,
    loose.majority_label,
    loose.items,
    loose.divided_pct as any_vote_pct,
    strict.rule_id as strict_rule,
    strict.divided_pct as strict_pct,
    strict.divided_pct_fractional as strict_pct_ties_split,
    loose.provenance
from {{ ref('dissent', 'threshold_sweep_by_label') }} as loose
inner join {{ ref('dissent', 'threshold_sweep_by_label') }} as strict
    on loose.dataset_id = strict.dataset_id
    and loose.panel = strict.panel
    and loose.majority_label = strict.majority_label
-- One vote of ten is 10 %: with panels that small only a larger share is stricter.
where
    loose.rule_id = 'any_vote'
    and loose.panel = 'all'
    and strict.rule_id = case when loose.dataset_id like 'ferplus%' then 'share_30' else 'share_10' end
order by loose.dataset_id, strict.divided_pct desc
