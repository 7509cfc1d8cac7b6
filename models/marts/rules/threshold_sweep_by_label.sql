with

pattern_items as (

    select * from {{ ref('dissent', 'int_pattern_items') }}

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

verdicts as (

    select * from {{ ref('dissent', 'int_pattern_verdicts') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

swept as (

    select
        pattern_items.dataset_id,
        pattern_items.panel,
        verdicts.rule_id,
        pattern_items.majority_label,
        cast(sum(pattern_items.items) as bigint) as items,
        cast(coalesce(sum(pattern_items.items) filter (where verdicts.is_divided), 0) as bigint) as divided,
        cast(coalesce(sum(pattern_items.items) filter (where not verdicts.is_divided), 0) as bigint) as unanimous,
        cast(coalesce(sum(pattern_items.items) filter (where verdicts.is_divided is null), 0) as bigint) as no_verdict,
        sum(cast(pattern_items.items_on_top as double) / patterns.majority_labels) as items_fractional,
        coalesce(
            sum(cast(pattern_items.items_on_top as double) / patterns.majority_labels)
            filter (where verdicts.is_divided),
            0
        ) as divided_fractional,
        coalesce(
            sum(cast(pattern_items.items_on_top as double) / patterns.majority_labels)
            filter (where verdicts.is_divided is not null),
            0
        ) as judged_fractional
    from pattern_items
    inner join patterns
        on pattern_items.count_pattern = patterns.count_pattern
    inner join verdicts
        on pattern_items.count_pattern = verdicts.count_pattern
    group by pattern_items.dataset_id, pattern_items.panel, verdicts.rule_id, pattern_items.majority_label

)

select
    swept.dataset_id,
    swept.panel,
    swept.rule_id,
    swept.majority_label,
    swept.items,
    swept.divided,
    swept.unanimous,
    swept.no_verdict,
    100e0 * swept.divided / nullif(swept.divided + swept.unanimous, 0) as divided_pct,
    {{ wilson_pct("swept.divided", "(swept.divided + swept.unanimous)", 'low') }} as divided_pct_low,
    {{ wilson_pct("swept.divided", "(swept.divided + swept.unanimous)", 'high') }} as divided_pct_high,
    swept.items_fractional,
    swept.divided_fractional,
    100e0 * swept.divided_fractional / nullif(swept.judged_fractional, 0) as divided_pct_fractional,
    provenance.provenance
from swept
left join provenance
    on swept.dataset_id = provenance.dataset_id
