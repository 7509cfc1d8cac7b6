-- A rule that asks for at least as many votes and at least as large a share divides no more items, and the
-- off-top form divides at least the items that the second-label form does. Returns the pairs that don't.
with

sweep as (

    select * from {{ ref('dissent', 'threshold_sweep') }}
    where not drop_single_votes

)

select
    loose.dataset_id,
    loose.panel,
    loose.rule_id as loose_rule,
    strict.rule_id as strict_rule,
    loose.divided as loose_divided,
    strict.divided as strict_divided
from sweep as loose
inner join sweep as strict
    on loose.dataset_id = strict.dataset_id
    and loose.panel = strict.panel
    and loose.min_votes <= strict.min_votes
    and loose.min_share_pct <= strict.min_share_pct
    and (loose.basis = strict.basis or strict.basis = 'second_label')
where strict.divided > loose.divided
