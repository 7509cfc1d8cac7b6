-- One row per data set, panel, number of raters and first outcome: how often a second panel is divided.
select
    names.dataset_id,
    names.dataset || ', ' || fresh.panel as part,
    fresh.panel,
    fresh.raters,
    case fresh.first_outcome
        when 'unanimous' then 'first panel unanimous'
        when 'one_dissent' then 'first panel with one dissent'
        else 'first panel with two or more'
    end as outcome,
    case fresh.first_outcome when 'unanimous' then 1 when 'one_dissent' then 2 else 3 end as outcome_order,
    100 * fresh.divided_rate as divided_pct,
    fresh.one_dissent_ratio,
    100 * fresh.same_label_again as same_label_again_pct,
    fresh.items
from fresh_panel as fresh
inner join dataset_names as names on fresh.dataset_id = names.dataset_id
where fresh.divided_rate is not null
order by names.dataset_order, fresh.panel, fresh.raters, outcome_order
