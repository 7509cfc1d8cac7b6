-- Two ways to the same panel: at the data set's own threshold the attention sweep is the panel attentive, at 0 the
-- panel all, annotators included. Returns the data sets, panels and rules whose numbers differ.
with

sweep as (

    select
        sweep.dataset_id,
        sweep.panel,
        sweep.rule_id,
        sweep.items,
        sweep.divided,
        sweep.no_verdict,
        sweep.items_without_votes,
        panels.annotators,
        panels.votes
    from {{ ref('dissent', 'threshold_sweep') }} as sweep
    inner join {{ ref('dissent', 'panels') }} as panels
        on sweep.dataset_id = panels.dataset_id
        and sweep.panel = panels.panel

),

by_attention as (

    select
        *,
        'attentive' as panel
    from {{ ref('dissent', 'attention_threshold_sweep') }}
    where is_own_threshold

    union all

    select
        *,
        'all' as panel
    from {{ ref('dissent', 'attention_threshold_sweep') }}
    where pass_pct = 0

)

select
    by_attention.dataset_id,
    by_attention.panel,
    by_attention.rule_id,
    by_attention.items,
    by_attention.divided,
    sweep.items as sweep_items,
    sweep.divided as sweep_divided
from by_attention
left join sweep
    on by_attention.dataset_id = sweep.dataset_id
    and by_attention.panel = sweep.panel
    and by_attention.rule_id = sweep.rule_id
where
    by_attention.items != coalesce(sweep.items, 0)
    or by_attention.divided != coalesce(sweep.divided, 0)
    or by_attention.no_verdict != coalesce(sweep.no_verdict, 0)
    -- A panel nobody is in has no row in the sweep.
    or by_attention.items_without_votes != coalesce(sweep.items_without_votes, by_attention.items_without_votes)
    or by_attention.annotators != coalesce(sweep.annotators, 0)
    or by_attention.votes != coalesce(sweep.votes, 0)
