with

items as (

    select * from {{ ref('dissent', 'items') }}
    where votes > 0

),

panels as (

    select * from {{ ref('dissent', 'panels') }}

),

annotators as (

    select * from {{ ref('dissent', 'annotator_attention') }}

),

panel_list as (

    select * from {{ ref('dissent', 'int_panels') }}

),

item_sums as (

    select
        dataset_id,
        panel,
        count(*) filter (where true_label is not null) as items_with_true_label,
        count(*) filter (where majority_label != true_label) as wrong_majorities,
        cast(sum(votes) as bigint) as votes,
        cast(sum(dissenting_votes) as bigint) as dissenting_votes,
        avg(majority_share) as mean_majority_share
    from items
    group by dataset_id, panel

),

check_sums as (

    select
        panel_list.dataset_id,
        panel_list.panel,
        cast(sum(annotators.attention_checks) as bigint) as attention_checks,
        cast(sum(annotators.attention_checks - annotators.attention_passed) as bigint) as attention_failed
    from annotators
    inner join panel_list
        on annotators.dataset_id = panel_list.dataset_id
        and {{ is_in_panel('panel_list.panel', 'annotators.is_attentive') }}
    group by panel_list.dataset_id, panel_list.panel

),

measured as (

    select
        item_sums.dataset_id,
        item_sums.panel,
        panels.provenance,
        100e0 * item_sums.wrong_majorities / nullif(item_sums.items_with_true_label, 0) as wrong_majority_pct,
        100 - panels.accuracy_pct as wrong_vote_pct,
        100e0 * item_sums.dissenting_votes / item_sums.votes as dissent_pct,
        100 * panels.mean_pairwise_disagreement as disagreement_pct,
        100e0 * check_sums.attention_failed / nullif(check_sums.attention_checks, 0) as failed_check_pct,
        100 * (1 - item_sums.mean_majority_share) as off_top_pct
    from item_sums
    inner join panels
        on item_sums.dataset_id = panels.dataset_id
        and item_sums.panel = panels.panel
    left join check_sums
        on item_sums.dataset_id = check_sums.dataset_id
        and item_sums.panel = check_sums.panel

)

{% set instruments = [
    ('majority_against_true_label', 'wrong_majority_pct', 'the data set gives no true labels'),
    ('vote_against_true_label', 'wrong_vote_pct', 'no votes of single annotators on items with a true label'),
    ('vote_against_majority', 'dissent_pct', 'no votes'),
    ('pair_disagreement', 'disagreement_pct', 'no item has two votes'),
    ('failed_attention_checks', 'failed_check_pct', 'the data set has no attention checks'),
    ('off_top_share', 'off_top_pct', 'no votes'),
] %}
{% for instrument, column, reason in instruments %}
select
    dataset_id,
    panel,
    '{{ instrument }}' as instrument,
    {{ column }} as noise_pct,
    case when {{ column }} is null then '{{ reason }}' end as reason,
    provenance
from measured
{% if not loop.last %}union all{% endif %}
{% endfor %}
