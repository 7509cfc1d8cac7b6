with

panels as (

    select * from {{ ref('dissent', 'panels') }}
    where items > 0

),

curve as (

    select * from {{ ref('dissent', 'rarefaction_curve') }}

),

datasets as (

    select * from {{ ref('dissent', 'int_datasets') }}

),

-- Each data set enters with the panel that its own rater filter keeps, where it has one.
ranked_panels as (

    select
        panels.*,
        datasets.sort_order,
        row_number() over (
            partition by panels.dataset_id
            order by case panels.panel when 'attentive' then 1 when 'all' then 2 else 3 end
        ) as panel_rank
    from panels
    inner join datasets
        on panels.dataset_id = datasets.dataset_id

),

compared as (

    select
        ranked_panels.dataset_id,
        ranked_panels.panel,
        ranked_panels.sort_order,
        ranked_panels.provenance,
        'pairwise_disagreement' as measure,
        cast(2 as bigint) as raters,
        true as is_lead,
        ranked_panels.mean_pairwise_disagreement as value,
        ranked_panels.items,
        cast(null as string) as reason
    from ranked_panels
    where ranked_panels.panel_rank = 1

    union all

    select
        ranked_panels.dataset_id,
        ranked_panels.panel,
        ranked_panels.sort_order,
        ranked_panels.provenance,
        curve.rule_id as measure,
        curve.raters,
        false as is_lead,
        curve.divided_rate as value,
        curve.items,
        curve.reason
    from ranked_panels
    inner join curve
        on ranked_panels.dataset_id = curve.dataset_id
        and ranked_panels.panel = curve.panel
    where
        ranked_panels.panel_rank = 1
        and curve.rule_id in ('any_vote', 'two_votes')
        and curve.raters in (3, 5, 10, 20)

)

select
    one.dataset_id,
    one.panel,
    other.dataset_id as other_dataset_id,
    other.panel as other_panel,
    one.measure,
    one.raters,
    one.is_lead,
    case when one.value is not null and other.value is not null then one.value end as value,
    case when one.value is not null and other.value is not null then other.value end as other_value,
    case when one.value > 0 then other.value / one.value end as ratio,
    one.items,
    other.items as other_items,
    case
        when one.value is null then concat(one.dataset_id, ': ', coalesce(one.reason, 'no item has two votes'))
        when other.value is null then concat(other.dataset_id, ': ', coalesce(other.reason, 'no item has two votes'))
    end as reason,
    one.provenance,
    other.provenance as other_provenance
from compared as one
inner join compared as other
    on one.measure = other.measure
    and one.raters = other.raters
    and (one.sort_order < other.sort_order or (one.sort_order = other.sort_order and one.dataset_id < other.dataset_id))
