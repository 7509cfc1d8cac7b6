-- One row per published figure: what it is, what was published, what the votes say, the verdict.
select
    figures.verdict,
    figures.figure_id,
    replace(replace(replace(figures.metric, '_pct', '_in_%'), 'hod_', 'HoD_'), '_', ' ')
    || case when figures.majority_label is null then '' else ', ' || figures.majority_label end
    || case when rules.rule is null then '' else ' (' || rules.rule || ')' end as what,
    names.dataset || case when figures.panel is null then '' else ', ' || figures.panel end as votes_of,
    case figures.comparison when 'below' then 'below ' when 'above' then 'above ' else '' end
    || format('{:,.{}f}', figures.expected + 1e-9, figures.decimals::int) as published,
    -- One decimal more than was published, unless it adds nothing.
    format(
        '{:,.{}f}',
        figures.observed + 1e-9,
        figures.decimals::int + case
            when abs(figures.observed - round(figures.observed, figures.decimals::int)) < 1e-9 then 0
            else 1
        end
    ) as observed,
    figures.source
    || case
        when figures.verdict != 'not evaluated' then ''
        when figures.kind = 'input' then ': taken as given, never a result here'
        when figures.kind = 'forecast' then ': a forecast, see below'
        else ': its votes have not landed'
    end as source
from replication as figures
inner join dataset_names as names on figures.dataset_id = names.dataset_id
left join rule_names as rules on figures.rule_id = rules.rule_id
order by
    case figures.verdict when 'differs' then 1 when 'replicated' then 2 else 3 end,
    case figures.kind when 'input' then 2 when 'forecast' then 3 else 1 end,
    names.dataset_order,
    figures.figure_id
