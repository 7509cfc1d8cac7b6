with

fresh_raters as (

    select * from {{ ref('dissent', 'int_fresh_raters') }}

),

pattern_items as (

    select * from {{ ref('dissent', 'int_pattern_items') }}

),

pattern_fresh as (

    select * from {{ ref('dissent', 'int_pattern_fresh') }}

),

same_label_again as (

    select * from {{ ref('dissent', 'int_same_label_again') }}

),

panels as (

    select * from {{ ref('dissent', 'panels') }}

),

summed as (

    select
        fresh_raters.dataset_id,
        fresh_raters.panel,
        fresh_raters.raters,
        cast(coalesce(sum(pattern_items.items) filter (where pattern_fresh.raters is not null), 0) as bigint) as items,
        sum(pattern_items.items * pattern_fresh.first_unanimous) as first_unanimous,
        sum(pattern_items.items * pattern_fresh.first_one_dissent) as first_one_dissent,
        sum(pattern_items.items * pattern_fresh.second_divided) as second_divided,
        sum(pattern_items.items * pattern_fresh.unanimous_then_divided) as unanimous_then_divided,
        sum(pattern_items.items * pattern_fresh.one_dissent_then_divided) as one_dissent_then_divided,
        sum(pattern_items.items * pattern_fresh.one_dissent_then_again) as one_dissent_then_again
    from fresh_raters
    inner join pattern_items
        on fresh_raters.dataset_id = pattern_items.dataset_id
        and fresh_raters.panel = pattern_items.panel
    left join pattern_fresh
        on pattern_items.count_pattern = pattern_fresh.count_pattern
        and fresh_raters.raters = pattern_fresh.raters
    group by fresh_raters.dataset_id, fresh_raters.panel, fresh_raters.raters

),

covered as (

    select
        summed.*,
        cast(summed.items as double) / panels.items as coverage,
        100 * summed.items >= 95 * panels.items as is_covered,
        panels.provenance
    from summed
    inner join panels
        on summed.dataset_id = panels.dataset_id
        and summed.panel = panels.panel

),

outcomes as (

    select
        covered.*,
        'unanimous' as first_outcome,
        covered.first_unanimous as first_items,
        covered.unanimous_then_divided as then_divided
    from covered

    union all

    select
        covered.*,
        'one_dissent' as first_outcome,
        covered.first_one_dissent as first_items,
        covered.one_dissent_then_divided as then_divided
    from covered

    union all

    select
        covered.*,
        'two_or_more' as first_outcome,
        covered.items - covered.first_unanimous - covered.first_one_dissent as first_items,
        covered.second_divided - covered.unanimous_then_divided - covered.one_dissent_then_divided as then_divided
    from covered

),

rated as (

    select
        *,
        -- A billionth of an item is rounding, not an outcome.
        case when is_covered and first_items > 1e-9 then then_divided / first_items end as divided_rate,
        case
            when is_covered and first_unanimous > 1e-9 and first_one_dissent > 1e-9 and unanimous_then_divided > 1e-9
                then
                    (one_dissent_then_divided / first_one_dissent)
                    / (unanimous_then_divided / first_unanimous)
        end as one_dissent_ratio
    from outcomes

)

select
    rated.dataset_id,
    rated.panel,
    rated.raters,
    rated.first_outcome,
    rated.divided_rate,
    rated.items,
    rated.coverage,
    case when rated.is_covered then rated.first_items end as expected_first_items,
    rated.one_dissent_ratio,
    case
        when rated.is_covered and rated.first_one_dissent > 1e-9
            then rated.one_dissent_then_again / rated.first_one_dissent
    end as same_label_again,
    case when rated.is_covered then same_label_again.same_label_after_unanimous end as same_label_after_unanimous,
    case
        when not rated.is_covered
            then 'fewer than 95 % of the items have votes for two panels of this size'
        when rated.divided_rate is null then 'no first panel has this outcome'
    end as reason,
    case
        when rated.one_dissent_ratio > 1
            then
                'after one dissent a second panel is divided more often than after none: items differ in how often '
                || 'people dissent on them, which does not show that they are ambiguous'
        when rated.one_dissent_ratio is not null
            then 'one dissent in the first panel does not raise the chance that a second one is divided'
    end as reading,
    rated.provenance
from rated
left join same_label_again
    on rated.dataset_id = same_label_again.dataset_id
    and rated.panel = same_label_again.panel
    and rated.raters = same_label_again.raters
