with

pattern_pairs as (

    select * from {{ ref('dissent', 'int_panel_pattern_pairs') }}
    where panel = 'attentive'

),

verdicts as (

    select * from {{ ref('dissent', 'int_pattern_verdicts') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

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
        on pattern_pairs.all_pattern = everyone.count_pattern
    inner join verdicts as attentive
        on pattern_pairs.panel_pattern = attentive.count_pattern
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
