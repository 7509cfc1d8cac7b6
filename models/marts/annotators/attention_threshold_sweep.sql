with

pass_thresholds as (

    select * from {{ ref('dissent', 'int_pass_thresholds') }}

),

levels as (

    select * from {{ ref('dissent', 'int_annotator_groups') }}

),

states as (

    select * from {{ ref('dissent', 'int_attention_states') }}

),

thresholds as (

    select * from {{ ref('dissent', 'thresholds') }}

),

panels as (

    select * from {{ ref('dissent', 'panels') }}
    where panel = 'all'

),

by_level as (

    select
        dataset_id,
        pass_level,
        count(*) as annotators,
        cast(sum(votes) as bigint) as votes
    from levels
    group by dataset_id, pass_level

),

kept as (

    select
        pass_thresholds.dataset_id,
        pass_thresholds.pass_pct,
        pass_thresholds.is_own_threshold,
        cast(coalesce(sum(by_level.annotators), 0) as bigint) as annotators,
        cast(coalesce(sum(by_level.votes), 0) as bigint) as votes
    from pass_thresholds
    left join by_level
        on pass_thresholds.dataset_id = by_level.dataset_id
        and pass_thresholds.pass_pct <= by_level.pass_level
    group by pass_thresholds.dataset_id, pass_thresholds.pass_pct, pass_thresholds.is_own_threshold

),

judged as (

    select
        states.dataset_id,
        states.above_pct,
        states.up_to_pct,
        states.items,
        thresholds.rule_id,
        {{ is_divided('states', 'thresholds') }} as is_divided
    from states
    cross join thresholds

),

counted as (

    select
        dataset_id,
        above_pct,
        up_to_pct,
        rule_id,
        sum(items) as items,
        coalesce(sum(items) filter (where is_divided), 0) as divided,
        coalesce(sum(items) filter (where not is_divided), 0) as unanimous
    from judged
    group by dataset_id, above_pct, up_to_pct, rule_id

),

swept as (

    select
        kept.dataset_id,
        kept.pass_pct,
        thresholds.rule_id,
        thresholds.sort_order as rule_order,
        kept.is_own_threshold,
        kept.annotators,
        kept.votes,
        cast(coalesce(sum(counted.items), 0) as bigint) as items,
        cast(coalesce(sum(counted.divided), 0) as bigint) as divided,
        cast(coalesce(sum(counted.unanimous), 0) as bigint) as unanimous
    from kept
    cross join thresholds
    left join counted
        on kept.dataset_id = counted.dataset_id
        and thresholds.rule_id = counted.rule_id
        and kept.pass_pct > counted.above_pct
        and kept.pass_pct <= counted.up_to_pct
    group by
        kept.dataset_id,
        kept.pass_pct,
        thresholds.rule_id,
        thresholds.sort_order,
        kept.is_own_threshold,
        kept.annotators,
        kept.votes

)

select
    swept.dataset_id,
    swept.pass_pct,
    swept.rule_id,
    swept.is_own_threshold,
    swept.annotators,
    swept.votes,
    swept.items,
    swept.divided,
    swept.unanimous,
    swept.items - swept.divided - swept.unanimous as no_verdict,
    panels.items + panels.items_without_votes - swept.items as items_without_votes,
    100e0 * swept.divided / nullif(swept.divided + swept.unanimous, 0) as divided_pct,
    case
        when swept.annotators = 0 then 'no annotator passes this share of the checks'
        when swept.items = 0 then 'the annotators kept have cast no votes'
        when swept.divided + swept.unanimous = 0 then 'no item has a vote left after single votes are dropped'
    end as reason,
    swept.rule_order,
    panels.provenance
from swept
inner join panels
    on swept.dataset_id = panels.dataset_id
