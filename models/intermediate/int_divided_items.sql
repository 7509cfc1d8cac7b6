{{ config(materialized='table', enabled=project_name == 'dissent') }}

with

pattern_items as (

    select
        dataset_id,
        panel,
        count_pattern,
        cast(sum(items) as bigint) as items
    from {{ ref('dissent', 'int_pattern_items') }}
    group by dataset_id, panel, count_pattern

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

verdicts as (

    select * from {{ ref('dissent', 'int_pattern_verdicts') }}

),

panels as (

    select * from {{ ref('dissent', 'panels') }}

),

labels as (

    select
        dataset_id,
        max(labels) as labels
    from {{ ref('dissent', 'int_labels') }}
    group by dataset_id

),

judged as (

    select
        pattern_items.dataset_id,
        pattern_items.panel,
        verdicts.rule_id,
        pattern_items.items,
        patterns.dissenting_votes,
        patterns.votes,
        cast(patterns.second_votes as double) / patterns.votes as second_share,
        patterns.entropy_nats / ln(nullif(labels.labels, 1)) < panels.mean_normalised_entropy as is_below_mean,
        verdicts.is_divided,
        verdicts.is_divided != any_vote.is_divided as is_unlike_any_vote
    from pattern_items
    inner join patterns
        on pattern_items.count_pattern = patterns.count_pattern
    inner join verdicts
        on pattern_items.count_pattern = verdicts.count_pattern
    inner join verdicts as any_vote
        on pattern_items.count_pattern = any_vote.count_pattern
        and any_vote.rule_id = 'any_vote'
    inner join panels
        on pattern_items.dataset_id = panels.dataset_id
        and pattern_items.panel = panels.panel
    inner join labels
        on pattern_items.dataset_id = labels.dataset_id

),

-- Weighted medians: a pattern stands for many items, so items are counted along the sorted values.
ranked as (

    select
        *,
        sum(items) over (
            partition by dataset_id, panel, rule_id, is_divided
            order by dissenting_votes
        ) as items_to_dissent,
        sum(items) over (
            partition by dataset_id, panel, rule_id, is_divided
            order by second_share
        ) as items_to_share,
        sum(items) over (partition by dataset_id, panel, rule_id, is_divided) as divided
    from judged

)

select
    dataset_id,
    panel,
    rule_id,
    cast(coalesce(sum(items) filter (where is_divided), 0) as bigint) as divided,
    cast(coalesce(sum(items) filter (where is_divided and dissenting_votes = 1), 0) as bigint) as one_dissent,
    cast(coalesce(sum(items) filter (where is_divided and is_below_mean), 0) as bigint) as below_mean_entropy,
    cast(coalesce(sum(items) filter (where is_unlike_any_vote), 0) as bigint) as unlike_any_vote,
    (
        min(dissenting_votes) filter (where is_divided and 2 * items_to_dissent >= divided)
        + min(dissenting_votes) filter (where is_divided and 2 * items_to_dissent > divided)
    ) / cast(2 as double) as median_dissenting_votes,
    (
        min(second_share) filter (where is_divided and 2 * items_to_share >= divided)
        + min(second_share) filter (where is_divided and 2 * items_to_share > divided)
    ) / cast(2 as double) as median_second_share
from ranked
group by dataset_id, panel, rule_id
