with

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

),

verdicts as (

    select * from {{ ref('dissent', 'int_pattern_verdicts') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

-- Few distinct pairs of patterns stand for all items, so the rules are applied to pairs, not to items.
pattern_pairs as (

    select
        everyone.dataset_id,
        everyone.count_pattern,
        attentive.count_pattern as attentive_pattern,
        count(*) as items
    from item_patterns as everyone
    inner join item_patterns as attentive
        on everyone.dataset_id = attentive.dataset_id
        and everyone.item_id = attentive.item_id
    where everyone.panel = 'all' and attentive.panel = 'attentive'
    group by everyone.dataset_id, everyone.count_pattern, attentive.count_pattern

),

effects as (

    select
        pattern_pairs.dataset_id,
        everyone.rule_id,
        cast(sum(pattern_pairs.items) as bigint) as items,
        cast(coalesce(sum(pattern_pairs.items) filter (
            where everyone.is_divided and not attentive.is_divided
        ), 0) as bigint) as flipped_to_divided,
        cast(coalesce(sum(pattern_pairs.items) filter (
            where not everyone.is_divided and attentive.is_divided
        ), 0) as bigint) as flipped_to_unanimous
    from pattern_pairs
    inner join verdicts as everyone
        on pattern_pairs.count_pattern = everyone.count_pattern
    inner join verdicts as attentive
        on pattern_pairs.attentive_pattern = attentive.count_pattern
        and everyone.rule_id = attentive.rule_id
    group by pattern_pairs.dataset_id, everyone.rule_id

)

select
    effects.dataset_id,
    effects.rule_id,
    effects.items,
    effects.flipped_to_divided,
    effects.flipped_to_unanimous,
    provenance.provenance
from effects
left join provenance
    on effects.dataset_id = provenance.dataset_id
