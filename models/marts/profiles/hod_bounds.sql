{{ config(enabled=project_name == 'dissent') }}

with

pattern_pairs as (

    select * from {{ ref('dissent', 'int_panel_pattern_pairs') }}

),

verdicts as (

    select * from {{ ref('dissent', 'int_pattern_verdicts') }}

),

cells as (

    select * from {{ ref('dissent', 'paper_profiles') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

-- The published divided set is that of any_vote over all annotators; a rule's set may reach outside it.
overlapped as (

    select
        pattern_pairs.dataset_id,
        pattern_pairs.panel,
        in_panel.rule_id,
        cast(sum(pattern_pairs.items) as bigint) as items,
        cast(coalesce(sum(pattern_pairs.items) filter (where in_panel.is_divided), 0) as bigint) as divided,
        cast(coalesce(sum(pattern_pairs.items) filter (
            where in_panel.is_divided and published.is_divided
        ), 0) as bigint) as divided_inside,
        cast(coalesce(sum(pattern_pairs.items) filter (
            where in_panel.is_divided and not published.is_divided
        ), 0) as bigint) as divided_outside
    from pattern_pairs
    inner join verdicts as in_panel
        on pattern_pairs.panel_pattern = in_panel.count_pattern
    inner join verdicts as published
        on pattern_pairs.all_pattern = published.count_pattern
        and published.rule_id = 'any_vote'
    group by pattern_pairs.dataset_id, pattern_pairs.panel, in_panel.rule_id

),

any_vote as (

    select
        dataset_id,
        divided,
        items - divided as unanimous,
        items
    from overlapped
    where panel = 'all' and rule_id = 'any_vote'

),

bounded as (

    select
        overlapped.*,
        cells.source,
        cells.human_only as published_human_only,
        cells.mutual as published_mutual,
        cells.items as published_items,
        -- Each side on its own: a cell that is not published matters only where the set reaches into that side.
        -- greatest and least pass over NULL, so a missing cell shows in the reason and blanks the bounds below.
        greatest(0, overlapped.divided_inside - cells.mutual)
        + case
            when overlapped.divided_outside = 0 then 0
            else greatest(0, overlapped.divided_outside - cells.model_only)
        end as hod_lower,
        least(overlapped.divided_inside, cells.human_only)
        + case
            when overlapped.divided_outside = 0 then 0
            else least(overlapped.divided_outside, cells.agreement)
        end as hod_upper,
        cast(overlapped.divided as double)
        * (cells.agreement + cells.human_only) / cells.items as hod_if_independent,
        case
            when cells.dataset_id is null then 'no profile cells are published for this data set'
            when overlapped.divided_outside > 0 and (cells.model_only is null or cells.agreement is null)
                then 'the rule divides items the paper calls unanimous, whose profile cells are not published'
        end as reason,
        case
            when
                cells.human_only + cells.mutual != any_vote.divided or cells.items != any_vote.items
                then concat(
                        'our divided set (', any_vote.divided, ' of ', any_vote.items, ' items, ', any_vote.unanimous,
                        ' unanimous) is taken to lie inside the published one (', cells.human_only + cells.mutual,
                        ' of ', cells.items, ', ', cells.items - cells.human_only - cells.mutual, ' unanimous)'
                    )
            when cells.dataset_id is not null then 'none: our divided and unanimous totals equal the published ones'
        end as assumption
    from overlapped
    inner join any_vote
        on overlapped.dataset_id = any_vote.dataset_id
    left join cells
        on overlapped.dataset_id = cells.dataset_id

)

select
    bounded.dataset_id,
    bounded.panel,
    bounded.rule_id,
    bounded.items,
    bounded.divided,
    bounded.divided_outside,
    bounded.published_human_only,
    bounded.published_mutual,
    bounded.published_items,
    case when bounded.reason is null then cast(bounded.hod_lower as bigint) end as hod_lower,
    case when bounded.reason is null then cast(bounded.hod_upper as bigint) end as hod_upper,
    case when bounded.reason is null then 100e0 * bounded.hod_lower / bounded.items end as hod_lower_pct,
    case when bounded.reason is null then 100e0 * bounded.hod_upper / bounded.items end as hod_upper_pct,
    bounded.hod_if_independent,
    bounded.assumption,
    bounded.reason,
    bounded.source,
    provenance.provenance
from bounded
left join provenance
    on bounded.dataset_id = provenance.dataset_id
