{{ config(enabled=project_name == 'dissent') }}

with

panels as (

    select * from {{ ref('dissent', 'panels') }}

),

sweep as (

    select * from {{ ref('dissent', 'threshold_sweep') }}

),

divided_items as (

    select * from {{ ref('dissent', 'int_divided_items') }}

),

any_vote as (

    select * from divided_items
    where rule_id = 'any_vote'

),

label_stats as (

    select * from {{ ref('dissent', 'int_label_stats') }}

),

sweep_by_label as (

    select
        *,
        row_number() over (
            partition by dataset_id, panel, rule_id
            order by divided_pct, majority_label
        ) as rank_from_lowest,
        row_number() over (
            partition by dataset_id, panel, rule_id
            order by divided_pct desc, majority_label asc
        ) as rank_from_highest
    from {{ ref('dissent', 'threshold_sweep_by_label') }}
    where items > 0

),

lowest_label as (

    select * from sweep_by_label
    where rank_from_lowest = 1

),

highest_label as (

    select * from sweep_by_label
    where rank_from_highest = 1

),

factors as (

    select
        dataset_id,
        panel,
        cast(sum(divided) filter (where rule_id = 'any_vote') as double)
        / nullif(sum(divided) filter (where rule_id = 'share_10'), 0) as any_over_share_10
    from sweep
    group by dataset_id, panel

),

bounds as (

    select * from {{ ref('dissent', 'hod_bounds') }}

),

published_cells as (

    select
        *,
        'all' as panel
    from {{ ref('dissent', 'paper_profiles') }}

),

dropped_effect as (

    select
        *,
        'dropped' as panel
    from {{ ref('dissent', 'dropped_annotator_effect') }}

),

count_check as (

    select * from {{ ref('dissent', 'published_count_check') }}

)

{{ figures_of('panels', {
    'items': 'items',
    'votes': 'votes',
    'annotators': 'annotators',
    'annotators_pct': 'annotators_pct',
    'accuracy_pct': 'accuracy_pct',
    'mean_normalised_entropy': 'mean_normalised_entropy',
}) }}
union all
{{ figures_of('any_vote', {'items_with_exactly_one_dissent': 'one_dissent'}) }}
union all
{{ figures_of('factors', {'divided_any_over_share_10': 'any_over_share_10'}) }}
union all
{{ figures_of('count_check', {'cells_differing_from_published_counts': 'cells_differing'}) }}
union all
{{ figures_of('sweep', {
    'items': 'items',
    'divided_items': 'divided',
    'unanimous_items': 'unanimous',
    'divided_pct': 'divided_pct',
}, rule='rule_id') }}
union all
{{ figures_of('divided_items', {
    'one_dissent_pct_of_divided': '100e0 * one_dissent / nullif(divided, 0)',
    'median_dissenting_votes_of_divided': 'median_dissenting_votes',
    'median_second_label_share_pct_of_divided': '100 * median_second_share',
    'divided_items_below_mean_entropy_pct_over': '100e0 * below_mean_entropy / nullif(divided, 0)',
    'items_where_verdict_differs_from_any_vote': 'unlike_any_vote',
}, rule='rule_id') }}
union all
{{ figures_of('bounds', {
    'hod_lower_pct': 'hod_lower_pct',
    'hod_upper_pct': 'hod_upper_pct',
}, rule='rule_id') }}
union all
{{ figures_of('published_cells', {
    'models_unanimous_pct_of_human_unanimous': '100e0 * agreement / (agreement + model_only)',
}, rule="'any_vote'") }}
union all
{{ figures_of('dropped_effect', {'items_flipped_to_divided': 'flipped_to_divided'}, rule='rule_id') }}
union all
{{ figures_of('label_stats', {
    'items': 'items',
    'class_rank_by_mean_entropy': 'entropy_rank',
}, label='majority_label') }}
union all
{{ figures_of('sweep_by_label', {
    'divided_pct': 'divided_pct',
}, rule='rule_id', label='majority_label') }}
union all
{{ figures_of('lowest_label', {
    'class_with_lowest_divided_pct': 'divided_pct',
}, rule='rule_id', label='majority_label') }}
union all
{{ figures_of('highest_label', {
    'class_with_highest_divided_pct': 'divided_pct',
}, rule='rule_id', label='majority_label') }}
