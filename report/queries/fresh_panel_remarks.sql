-- Panel sizes for which there are no two disjoint panels.
with missing as (
    select
        fresh.reason,
        names.dataset_order,
        names.dataset || ', ' || fresh.panel || ', ' || string_agg(fresh.raters::varchar, ' and ' order by fresh.raters)
        || ' raters' as panels
    from fresh_panel as fresh
    inner join dataset_names as names on fresh.dataset_id = names.dataset_id
    where fresh.divided_rate is null and fresh.first_outcome = 'unanimous'
    group by names.dataset, names.dataset_order, fresh.panel, fresh.reason
)

select 'Not evaluated, because ' || reason || ': ' || string_agg(panels, '; ' order by dataset_order, panels) || '.' as remark
from missing
group by reason
order by reason
