-- One row per data set, panel and number of dissenting votes, 20 and more together: items in per cent.
select
    names.dataset_id,
    names.dataset as part,
    spread.panel,
    least(spread.dissenting_votes, 20) as dissenting_order,
    case when spread.dissenting_votes >= 20 then '20+' else spread.dissenting_votes::varchar end as dissenting_votes,
    sum(spread.items)::bigint as items,
    sum(spread.items_pct) as items_pct
from dissent_distribution as spread
inner join dataset_names as names on spread.dataset_id = names.dataset_id
where spread.panel != 'dropped'
group by all
order by any_value(names.dataset_order), names.dataset, spread.panel, dissenting_order
