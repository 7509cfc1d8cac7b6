-- One row per data set with its own panel, measure and number of raters: where data sets can be compared.
with sides as (
    select dataset_id, panel, measure, raters, value, items from equal_footing
    union
    select other_dataset_id, other_panel, measure, raters, other_value, other_items from equal_footing
)

select
    names.dataset_id,
    names.dataset,
    sides.panel,
    names.dataset || ', ' || sides.panel as series,
    -- Two raters disagree as often as a pair of votes does: it is the any-vote rule at two raters.
    coalesce(rules.rule, 'any vote') as part,
    case sides.measure when 'pairwise_disagreement' then 'pairwise disagreement' else rules.rule end
    || ', ' || sides.raters || ' raters' as measure,
    row_number() over (
        partition by sides.dataset_id order by sides.measure != 'pairwise_disagreement', rules.rule_order, sides.raters
    ) as measure_order,
    sides.raters,
    100 * sides.value as divided_pct,
    sides.items,
    decimals(100 * sides.value, 1) as divided_text
from sides
inner join dataset_names as names on sides.dataset_id = names.dataset_id
left join rule_names as rules on sides.measure = rules.rule_id
-- Two votes off three raters can't make a second label of two: 0 by construction.
where sides.value is not null and not (sides.measure = 'two_votes' and sides.raters < 4)
order by names.dataset_order, measure_order
