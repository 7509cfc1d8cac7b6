-- Labels that are left out, and how the order changes between the two rules.
with shares as (
    select
        sweep.dataset_id,
        first(sweep.majority_label order by sweep.divided_pct desc, sweep.majority_label)
            filter (where sweep.rule_id = 'any_vote') as loose_label,
        first(sweep.majority_label order by sweep.divided_pct desc, sweep.majority_label)
            filter (where sweep.rule_id = strict.rule_id) as strict_label,
        count(distinct sweep.majority_label) as labels
    from threshold_sweep_by_label as sweep
    inner join strict_rules as strict on sweep.dataset_id = strict.dataset_id
    where sweep.panel = 'all' and sweep.items > 0
    group by sweep.dataset_id
)

select
    names.dataset || ': most divided under any vote is ' || shares.loose_label
    || case
        when shares.loose_label = shares.strict_label then ', under the strict rule too.'
        else ', under the strict rule ' || shares.strict_label || '.'
    end
    || case when shares.labels > 12 then ' The 12 most frequent of ' || shares.labels || ' labels are shown.' else '' end
    as remark
from shares
inner join dataset_names as names on shares.dataset_id = names.dataset_id
order by names.dataset_order
