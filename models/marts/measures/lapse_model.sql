with

votes_dissents as (

    select * from {{ ref('dissent', 'int_votes_dissents') }}

),

lapse_rates as (

    select * from {{ ref('dissent', 'int_lapse_rates') }}

),

beyond_lapse as (

    select * from {{ ref('dissent', 'int_beyond_lapse') }}

),

label_sets as (

    select
        dataset_id,
        max(labels) as labels
    from {{ ref('dissent', 'int_labels') }}
    group by dataset_id

),

sweep as (

    select * from {{ ref('dissent', 'threshold_sweep') }}
    where rule_id in ('any_vote', 'two_votes')

),

by_votes as (

    select
        votes_dissents.dataset_id,
        votes_dissents.panel,
        votes_dissents.votes,
        max(label_sets.labels) as labels,
        cast(sum(votes_dissents.items) as bigint) as items
    from votes_dissents
    inner join label_sets
        on votes_dissents.dataset_id = label_sets.dataset_id
    group by votes_dissents.dataset_id, votes_dissents.panel, votes_dissents.votes

),

rated as (

    select
        by_votes.*,
        lapse_rates.lapse_id,
        lapse_rates.lapse_rate,
        lapse_rates.lapse_rate_low,
        lapse_rates.lapse_rate_high
    from by_votes
    inner join lapse_rates
        on by_votes.dataset_id = lapse_rates.dataset_id
        and by_votes.panel = lapse_rates.panel

),

-- Every item clear, each vote slipping on its own: the chance of so many lapses, and that no label gets two of them
-- when they spread evenly over the other labels.
lapses as (

    select
        *,
        {{ series('0', 'least(votes, labels - 1)') }} as lapses
    from rated
    where labels > 1 and lapse_rate > 0 and lapse_rate < 1

),

spread as (

    select
        dataset_id,
        panel,
        lapse_id,
        votes,
        sum(exp(
            {{ ln_choose('votes', 'lapses') }} + lapses * ln(lapse_rate) + (votes - lapses) * ln(1 - lapse_rate)
            + {{ ln_gamma('labels') }} - {{ ln_gamma('labels - lapses') }} - lapses * ln(labels - 1)
        )) as no_label_twice
    from lapses
    group by dataset_id, panel, lapse_id, votes

),

expected as (

    select
        rated.dataset_id,
        rated.panel,
        rated.lapse_id,
        max(rated.lapse_rate) as lapse_rate,
        max(rated.lapse_rate_low) as lapse_rate_low,
        max(rated.lapse_rate_high) as lapse_rate_high,
        100 * sum(rated.items * (1 - power(1 - rated.lapse_rate, rated.votes))) / sum(rated.items) as any_vote,
        100 * sum(rated.items * (1 - spread.no_label_twice)) / sum(rated.items) as two_votes_spread,
        100 * sum(
            rated.items * (
                1 - power(1 - rated.lapse_rate, rated.votes)
                - rated.votes * rated.lapse_rate * power(1 - rated.lapse_rate, rated.votes - 1)
            )
        ) / sum(rated.items) as two_votes_together
    from rated
    left join spread
        on rated.dataset_id = spread.dataset_id
        and rated.panel = spread.panel
        and rated.lapse_id = spread.lapse_id
        and rated.votes = spread.votes
    group by rated.dataset_id, rated.panel, rated.lapse_id

),

-- The lapse rate at which lapses alone divide as many items as are divided under any_vote, by Newton's method: the
-- share rises and bends one way, so a start below the root climbs to it.
observed as (

    select
        by_votes.*,
        sweep.divided_pct / 100 as share
    from by_votes
    inner join sweep
        on by_votes.dataset_id = sweep.dataset_id
        and by_votes.panel = sweep.panel
        and sweep.rule_id = 'any_vote'

),

newton_0 as (

    select
        dataset_id,
        panel,
        max(share) as share,
        -- With the most votes any item has, the root would be here; it lies at or above.
        case when max(share) < 1 then 1 - power(1 - max(share), 1e0 / max(votes)) end as rate
    from observed
    group by dataset_id, panel

),

{% for step in range(1, 9) %}
newton_{{ step }} as (

    select
        observed.dataset_id,
        observed.panel,
        max(observed.share) as share,
        max(newton.rate) + (
            max(observed.share)
            - sum(observed.items * (1 - power(1 - newton.rate, observed.votes))) / sum(observed.items)
        ) / nullif(
            sum(observed.items * observed.votes * power(1 - newton.rate, observed.votes - 1)) / sum(observed.items), 0
        ) as rate
    from observed
    inner join newton_{{ step - 1 }} as newton
        on observed.dataset_id = newton.dataset_id
        and observed.panel = newton.panel
    group by observed.dataset_id, observed.panel

),
{% endfor %}

beyond as (

    select
        dataset_id,
        panel,
        lapse_id,
        cast(coalesce(sum(items) filter (where is_beyond_lapse), 0) as bigint) as items_beyond_lapse
    from beyond_lapse
    group by dataset_id, panel, lapse_id

),

ranges as (

    select
        expected.dataset_id,
        expected.panel,
        sweep.rule_id,
        expected.lapse_id,
        expected.lapse_rate,
        expected.lapse_rate_low,
        expected.lapse_rate_high,
        sweep.divided_pct,
        case sweep.rule_id when 'any_vote' then expected.any_vote else expected.two_votes_spread end
            as expected_pct_low,
        case sweep.rule_id when 'any_vote' then expected.any_vote else expected.two_votes_together end
            as expected_pct_high,
        newton_8.rate as max_lapse_rate,
        beyond.items_beyond_lapse,
        sweep.provenance
    from expected
    inner join sweep
        on expected.dataset_id = sweep.dataset_id
        and expected.panel = sweep.panel
    inner join newton_8
        on expected.dataset_id = newton_8.dataset_id
        and expected.panel = newton_8.panel
    left join beyond
        on expected.dataset_id = beyond.dataset_id
        and expected.panel = beyond.panel
        and expected.lapse_id = beyond.lapse_id

)

select
    dataset_id,
    panel,
    rule_id,
    lapse_id,
    lapse_rate,
    lapse_rate_low,
    lapse_rate_high,
    divided_pct,
    expected_pct_low,
    expected_pct_high,
    max_lapse_rate,
    case when divided_pct >= expected_pct_high then divided_pct - expected_pct_high end as excess_pct_low,
    case when divided_pct >= expected_pct_low then divided_pct - expected_pct_low end as excess_pct_high,
    items_beyond_lapse,
    case
        when lapse_rate = 0 then 'no attention check was failed: the rate is below what these checks can show'
        when divided_pct < expected_pct_low
            then 'impossible: lapses at this rate alone would divide more items than are divided'
        when divided_pct < expected_pct_high
            then 'lapses at this rate could explain all of it, if they all fell on one other label'
    end as reason,
    case
        when lapse_id = 'attention_checks' and panel != 'all'
            then 'the panel was chosen by these checks, so their failure rate is no fair estimate of its lapses'
        when lapse_id = 'attention_checks'
            then 'pooled over annotators; ten checks cannot give the rate of one annotator'
        else 'assumed, not measured'
    end as caution,
    provenance
from ranges
