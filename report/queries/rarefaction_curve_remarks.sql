-- How far each curve reaches.
with reached as (
    select
        names.dataset || ', ' || curve.panel as series,
        names.dataset_order,
        curve.panel,
        max(curve.raters) filter (where curve.divided_rate is not null) as raters
    from rarefaction_curve as curve
    inner join dataset_names as names on curve.dataset_id = names.dataset_id
    where curve.rule_id = 'any_vote' and curve.panel != 'dropped'
    group by all
)

select remark
from (
    select
        1 as remark_order,
        'A curve ends where fewer than 95 % of the items have that many votes: '
        || string_agg(series || ' at ' || raters, '; ' order by dataset_order, panel) || '.' as remark
    from reached
    where raters is not null
    union all
    select 2, 'No curve, because too few items have several votes: ' || string_agg(series, '; ' order by dataset_order) || '.'
    from reached
    where raters is null
    union all
    select 3, 'Dropped annotators are left out: hardly an item has several of their votes.'
    where exists (select 1 from rarefaction_curve where panel = 'dropped')
)
where remark is not null
order by remark_order
