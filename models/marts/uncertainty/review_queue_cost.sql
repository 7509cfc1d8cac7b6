with

chances as (

    select * from {{ ref('dissent', 'int_review_chance') }}

),

totals as (

    select
        dataset_id,
        panel,
        cast(sum(items) as bigint) as items
    from {{ ref('dissent', 'int_item_states') }}
    group by dataset_id, panel

),

priors as (

    select * from {{ ref('dissent', 'int_share_priors') }}
    where votes_used = 'all'

),

thresholds as (

    select * from {{ ref('dissent', 'thresholds') }}

),

sizes as (

    select distinct more_votes from {{ ref('dissent', 'int_next_votes') }}

),

queues as (

    {% for pct in [1, 5, 10, 20, 100] %}
    select cast({{ pct }} as bigint) as asked_pct
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

),

asked as (

    select
        totals.dataset_id,
        totals.panel,
        thresholds.rule_id,
        sizes.more_votes,
        queues.asked_pct,
        case when coalesce(priors.mean_share, 0) = 0 then priors.reason end as reason,
        cast(ceil(queues.asked_pct * totals.items / cast(100 as double)) as bigint) as items_asked
    from totals
    cross join thresholds
    cross join sizes
    cross join queues
    inner join priors
        on totals.dataset_id = priors.dataset_id
        and totals.panel = priors.panel
        and thresholds.basis = priors.basis

),

-- Of the kind that the queue's end cuts, as many items as still fit; all of them have the same chance.
expected as (

    select
        asked.dataset_id,
        asked.panel,
        asked.rule_id,
        asked.more_votes,
        asked.asked_pct,
        {% for verdict in ['not chances.is_divided', 'chances.is_divided'] %}
        sum(chances.chance * least(chances.items, asked.items_asked - chances.items_before))
        filter (where {{ verdict }}) as {{ ['to_divided', 'to_unanimous'][loop.index0] }}
        {%- if not loop.last %},{% endif %}
        {% endfor %}
    from asked
    inner join chances
        on asked.dataset_id = chances.dataset_id
        and asked.panel = chances.panel
        and asked.rule_id = chances.rule_id
        and asked.more_votes = chances.more_votes
        and asked.items_asked > chances.items_before
    group by asked.dataset_id, asked.panel, asked.rule_id, asked.more_votes, asked.asked_pct

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

filled as (

    select
        asked.*,
        case when asked.reason is null then coalesce(expected.to_divided, 0) end as expected_to_divided,
        case when asked.reason is null then coalesce(expected.to_unanimous, 0) end as expected_to_unanimous
    from asked
    left join expected
        on asked.dataset_id = expected.dataset_id
        and asked.panel = expected.panel
        and asked.rule_id = expected.rule_id
        and asked.more_votes = expected.more_votes
        and asked.asked_pct = expected.asked_pct

)

select
    filled.dataset_id,
    filled.panel,
    filled.rule_id,
    filled.more_votes,
    filled.asked_pct,
    filled.items_asked,
    filled.items_asked * filled.more_votes as votes_needed,
    filled.expected_to_divided,
    filled.expected_to_unanimous,
    filled.expected_to_divided + filled.expected_to_unanimous as expected_changes,
    filled.items_asked * filled.more_votes
    / nullif(filled.expected_to_divided + filled.expected_to_unanimous, 0) as votes_per_change,
    filled.reason,
    provenance.provenance
from filled
left join provenance
    on filled.dataset_id = provenance.dataset_id
