{{ config(enabled=project_name == 'dissent') }}

{%- set queues = [1, 5, 10, 20] -%}

with

model_labels as (

    select * from {{ ref('dissent', 'int_model_labels') }}

),

model_agreement as (

    select * from {{ ref('dissent', 'model_agreement') }}

),

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

verdicts as (

    select * from {{ ref('dissent', 'int_pattern_verdicts') }}

),

thresholds as (

    select * from {{ ref('dissent', 'thresholds') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

uncertainties as (

    select
        dataset_id,
        model_set,
        model_id,
        item_id,
        predictive_entropy
    from model_labels

    union all

    select
        dataset_id,
        model_set,
        'mean of models' as model_id,
        item_id,
        mean_predictive_entropy as predictive_entropy
    from model_agreement

),

-- Items without a verdict (all labels dropped) leave the ranking of the rules that drop single votes.
dropping as (

    select distinct drop_single_votes from thresholds

),

paired as (

    select
        uncertainties.dataset_id,
        uncertainties.model_set,
        uncertainties.model_id,
        item_patterns.panel,
        item_patterns.count_pattern,
        dropping.drop_single_votes,
        -- Rounded: the last bit of the arithmetic must not rank items.
        round(uncertainties.predictive_entropy, 12) as predictive_entropy
    from uncertainties
    inner join item_patterns
        on uncertainties.dataset_id = item_patterns.dataset_id
        and uncertainties.item_id = item_patterns.item_id
    inner join patterns
        on item_patterns.count_pattern = patterns.count_pattern
    inner join dropping
        on (not dropping.drop_single_votes or patterns.votes > patterns.single_vote_labels)
    where uncertainties.predictive_entropy is not null

),

{% set by_model = 'partition by dataset_id, model_set, model_id, panel, drop_single_votes' %}
ranked as (

    select
        *,
        rank() over ({{ by_model }} order by predictive_entropy) as lowest_rank,
        count(*) over ({{ by_model }}, predictive_entropy) as tied,
        count(*) over ({{ by_model }}) as items
    from paired

),

placed as (

    select
        *,
        lowest_rank + (tied - 1) / cast(2 as double) as entropy_rank,
        items - lowest_rank - tied + 1 as items_before
    from ranked

),

-- Verdicts hang on the count pattern, so the rules meet patterns, not items. An item of a tied block that a queue cuts
-- is in it with the block's share: the expectation over all orders.
by_pattern as (

    select
        dataset_id,
        model_set,
        model_id,
        panel,
        drop_single_votes,
        count_pattern,
        count(*) as pattern_items,
        sum(entropy_rank) as sum_ranks,
        {% for pct in queues %}
        sum(least(1e0, greatest(0e0, (ceil({{ pct }} * items / 100e0) - items_before) / tied))) as in_first_{{ pct }}
        {%- if not loop.last %},{% endif %}
        {% endfor %}
    from placed
    group by dataset_id, model_set, model_id, panel, drop_single_votes, count_pattern

),

counted as (

    select
        by_pattern.dataset_id,
        by_pattern.panel,
        thresholds.rule_id,
        by_pattern.model_set,
        by_pattern.model_id,
        cast(sum(by_pattern.pattern_items) as bigint) as items,
        cast(coalesce(sum(by_pattern.pattern_items) filter (where verdicts.is_divided), 0) as bigint) as divided,
        sum(by_pattern.sum_ranks) filter (where verdicts.is_divided) as sum_ranks,
        {% for pct in queues %}
        sum(by_pattern.in_first_{{ pct }}) filter (where verdicts.is_divided)
        / sum(by_pattern.in_first_{{ pct }}) as precision_{{ pct }}
        {%- if not loop.last %},{% endif %}
        {% endfor %}
    from by_pattern
    inner join thresholds
        on by_pattern.drop_single_votes = thresholds.drop_single_votes
    inner join verdicts
        on by_pattern.count_pattern = verdicts.count_pattern
        and thresholds.rule_id = verdicts.rule_id
    group by
        by_pattern.dataset_id,
        by_pattern.panel,
        thresholds.rule_id,
        by_pattern.model_set,
        by_pattern.model_id

)

select
    counted.dataset_id,
    counted.panel,
    counted.rule_id,
    counted.model_set,
    counted.model_id,
    counted.items,
    counted.divided,
    cast(counted.divided as double) / counted.items as divided_rate,
    case
        when counted.divided between 1 and counted.items - 1
            then
                (counted.sum_ranks - cast(counted.divided as double) * (counted.divided + 1) / 2)
                / (cast(counted.divided as double) * (counted.items - counted.divided))
    end as auroc,
    {% for pct in queues %}
    case
        when counted.divided between 1 and counted.items - 1 then coalesce(counted.precision_{{ pct }}, 0)
    end as precision_{{ pct }},
    {% endfor %}
    case
        when counted.divided = 0 then 'no item is divided'
        when counted.divided = counted.items then 'every item is divided'
    end as reason,
    provenance.provenance
from counted
left join provenance
    on counted.dataset_id = provenance.dataset_id
