-- One row per data set, label and rule, loose and strict: divided items among those with that majority label, for the
-- 12 most frequent labels of a data set.
with chosen as (
    select dataset_id, 'any_vote' as rule_id, 1 as strictness from strict_rules
    union all
    select dataset_id, rule_id, 2 from strict_rules
),

ranked as (
    select
        dataset_id,
        majority_label,
        divided_pct as loose_pct,
        row_number() over (partition by dataset_id order by items desc, majority_label) as item_rank
    from threshold_sweep_by_label
    where panel = 'all' and rule_id = 'any_vote' and items > 0
)

select
    names.dataset_id,
    names.dataset,
    names.dataset || ': ' || rules.rule as part,
    by_label.majority_label as label,
    row_number() over (
        partition by names.dataset_id, chosen.strictness
        order by ranked.loose_pct desc, by_label.majority_label
    ) as label_order,
    chosen.strictness,
    rules.rule,
    by_label.items,
    by_label.divided,
    by_label.divided_pct,
    by_label.divided_pct_low,
    by_label.divided_pct_high,
    decimals(by_label.divided_pct, 1) as divided_text
from threshold_sweep_by_label as by_label
inner join chosen on by_label.dataset_id = chosen.dataset_id and by_label.rule_id = chosen.rule_id
inner join ranked
    on by_label.dataset_id = ranked.dataset_id and by_label.majority_label = ranked.majority_label
inner join dataset_names as names on by_label.dataset_id = names.dataset_id
inner join rule_names as rules on by_label.rule_id = rules.rule_id
where by_label.panel = 'all' and ranked.item_rank <= 12 and by_label.divided_pct is not null
order by names.dataset_order, chosen.strictness, label_order
