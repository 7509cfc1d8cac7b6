with

pattern_items as (

    select * from {{ ref('dissent', 'int_pattern_items') }}

),

rarefied as (

    select * from {{ ref('dissent', 'int_pattern_rarefied') }}
    where raters <= 60

),

panels as (

    select * from {{ ref('dissent', 'panels') }}
    where items > 0

),

thresholds as (

    select * from {{ ref('dissent', 'thresholds') }}
    where basis = 'second_label' and not drop_single_votes

),

by_votes as (

    select
        pattern_items.dataset_id,
        pattern_items.panel,
        rarefied.raters,
        rarefied.votes,
        cast(sum(pattern_items.items) as bigint) as items,
        sum(pattern_items.items * rarefied.any_vote_rate) as any_vote,
        sum(pattern_items.items * rarefied.two_votes_rate) as two_votes
    from pattern_items
    inner join rarefied
        on pattern_items.count_pattern = rarefied.count_pattern
    group by pattern_items.dataset_id, pattern_items.panel, rarefied.raters, rarefied.votes

),

covered as (

    select
        by_votes.dataset_id,
        by_votes.panel,
        by_votes.raters,
        max(panels.items) as all_items,
        cast(sum(by_votes.items) as bigint) as items,
        100 * sum(by_votes.items) >= 95 * max(panels.items) as is_covered
    from by_votes
    inner join panels
        on by_votes.dataset_id = panels.dataset_id
        and by_votes.panel = panels.panel
    group by by_votes.dataset_id, by_votes.panel, by_votes.raters

),

-- The items of the longest covered draw: held fixed, the curve cannot fall because clear items are the ones left.
fixed as (

    select
        dataset_id,
        panel,
        max(raters) as fixed_raters
    from covered
    where is_covered
    group by dataset_id, panel

),

rates as (

    select
        by_votes.dataset_id,
        by_votes.panel,
        by_votes.raters,
        sum(by_votes.any_vote) / sum(by_votes.items) as any_vote,
        sum(by_votes.two_votes) / sum(by_votes.items) as two_votes,
        sum(case when by_votes.votes >= fixed.fixed_raters then by_votes.any_vote end)
        / sum(case when by_votes.votes >= fixed.fixed_raters then by_votes.items end) as fixed_any_vote,
        sum(case when by_votes.votes >= fixed.fixed_raters then by_votes.two_votes end)
        / sum(case when by_votes.votes >= fixed.fixed_raters then by_votes.items end) as fixed_two_votes,
        cast(sum(case when by_votes.votes >= fixed.fixed_raters then by_votes.items end) as bigint) as fixed_items
    from by_votes
    left join fixed
        on by_votes.dataset_id = fixed.dataset_id
        and by_votes.panel = fixed.panel
    group by by_votes.dataset_id, by_votes.panel, by_votes.raters

),

-- A share rule asks for the smallest whole number of votes that reaches the share.
asked as (

    select
        covered.*,
        thresholds.rule_id,
        thresholds.sort_order,
        thresholds.min_share_pct,
        greatest(
            thresholds.min_votes,
            cast(ceil(cast(thresholds.min_share_pct * covered.raters as double) / 100) as bigint)
        ) as votes_asked
    from covered
    cross join thresholds

)

select
    asked.dataset_id,
    asked.panel,
    asked.raters,
    asked.rule_id,
    asked.votes_asked,
    case
        when asked.is_covered and asked.votes_asked = 1 then rates.any_vote
        when asked.is_covered and asked.votes_asked = 2 then rates.two_votes
    end as divided_rate,
    asked.items,
    cast(asked.items as double) / asked.all_items as coverage,
    case
        when asked.is_covered and asked.votes_asked = 1 then rates.fixed_any_vote
        when asked.is_covered and asked.votes_asked = 2 then rates.fixed_two_votes
    end as divided_rate_fixed_items,
    rates.fixed_items,
    case
        when not asked.is_covered then 'fewer than 95 % of the items have this many votes'
        when asked.votes_asked > 2 then 'asks for more than two votes, for which no closed form is computed'
    end as reason,
    case
        when asked.min_share_pct > 0
            then
                'a share of few votes is a whole number of votes: the curve is a sawtooth, so compare it only at '
                || 'sizes at which the rule asks for the same share'
    end as warning,
    panels.provenance
from asked
inner join rates
    on asked.dataset_id = rates.dataset_id
    and asked.panel = rates.panel
    and asked.raters = rates.raters
inner join panels
    on asked.dataset_id = panels.dataset_id
    and asked.panel = panels.panel
