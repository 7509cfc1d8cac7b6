-- The verdicts counted; what contradicts the votes in words.
with counted as (
    select
        count(*) filter (where verdict = 'replicated') as replicated,
        count(*) filter (where verdict = 'differs') as differing,
        count(*) filter (where verdict = 'not evaluated') as open,
        count(*) as figures
    from replication
    where kind in ('votes', 'derived', 'claim')
)

select remark
from (
    select
        1 as remark_order,
        format(
            '{} of {} figures published about these votes replicate. Differing: {}. Not evaluated, because their votes have not landed: {}.',
            replicated, figures, differing, open
        ) as remark
    from counted
    union all
    select
        2,
        case figures.kind when 'claim' then 'A claim that the votes contradict: ' else 'Differs: ' end
        || replace(replace(figures.metric, '_pct', '_in_%'), '_', ' ') || ' on ' || names.dataset || coalesce('; ' || figures.note, '') || '.'
    from replication as figures
    inner join dataset_names as names on figures.dataset_id = names.dataset_id
    where figures.verdict = 'differs'
)
order by remark_order, remark
