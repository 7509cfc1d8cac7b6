{{ config(materialized='table') }}

with

-- The distinct pairs of votes and dissenting votes stand for all items.
pairs as (

    select distinct
        dataset_id,
        panel,
        votes,
        votes - majority_votes as dissenting_votes
    from {{ ref('dissent', 'int_item_states') }}

),

priors as (

    select * from {{ ref('dissent', 'int_share_priors') }}
    where votes_used = 'all' and basis = 'off_top'

),

shares as (

    select distinct
        min_share_pct as share_pct,
        min_share_pct / cast(100 as double) as share
    from {{ ref('dissent', 'thresholds') }}
    where min_share_pct between 1 and 99

),

sizes as (

    select
        pairs.dataset_id,
        pairs.panel,
        pairs.votes,
        priors.prior_a,
        priors.prior_b,
        shares.share_pct,
        shares.share,
        max(pairs.dissenting_votes) as most_dissenting
    from pairs
    inner join priors
        on pairs.dataset_id = priors.dataset_id
        and pairs.panel = priors.panel
    cross join shares
    where
        pairs.votes >= 2
        and priors.prior_a is not null
    group by
        pairs.dataset_id,
        pairs.panel,
        pairs.votes,
        priors.prior_a,
        priors.prior_b,
        shares.share_pct,
        shares.share

),

-- The tail of Beta(A, B) above x, without dissent: sum over k of x^A (1-x)^(B+k) G(A+B+k) / (G(A) G(B+k+1)). After so
-- many steps what is left is below 1e-15 of it.
series_steps as (

    select
        *,
        {{ series('0', 'cast(ceil((prior_a + 8 * sqrt(prior_a) + 40) / share) as bigint)') }} as step
    from sizes

),

without_dissent as (

    select
        dataset_id,
        panel,
        votes,
        share_pct,
        cast(0 as bigint) as dissenting_votes,
        sum(exp(
            {{ ln_gamma('prior_a + prior_b + votes + step') }}
            - {{ ln_gamma('prior_a') }}
            - {{ ln_gamma('prior_b + votes + step + 1') }}
            + prior_a * ln(share)
            + (prior_b + votes + step) * ln(1 - share)
        )) as added_chance
    from series_steps
    group by dataset_id, panel, votes, share_pct

),

-- One vote moved from the top label to the others turns Beta(A, B) into Beta(A+1, B-1) and adds
-- x^A (1-x)^(B-1) G(A+B) / (G(A+1) G(B)) to the tail: all terms positive, so small chances stay exact.
ladder_steps as (

    select
        *,
        {{ series('1', 'most_dissenting') }} as dissenting_votes
    from sizes

),

ladder as (

    select
        dataset_id,
        panel,
        votes,
        share_pct,
        dissenting_votes,
        exp(
            {{ ln_gamma('prior_a + prior_b + votes') }}
            - {{ ln_gamma('prior_a + dissenting_votes') }}
            - {{ ln_gamma('prior_b + votes - dissenting_votes + 1') }}
            + (prior_a + dissenting_votes - 1) * ln(share)
            + (prior_b + votes - dissenting_votes) * ln(1 - share)
        ) as added_chance
    from ladder_steps

),

steps as (

    select
        dataset_id,
        panel,
        votes,
        share_pct,
        dissenting_votes,
        added_chance
    from without_dissent

    union all

    select
        dataset_id,
        panel,
        votes,
        share_pct,
        dissenting_votes,
        added_chance
    from ladder

),

climbed as (

    select
        dataset_id,
        panel,
        votes,
        share_pct,
        dissenting_votes,
        sum(added_chance) over (
            partition by dataset_id, panel, votes, share_pct
            order by dissenting_votes
        ) as chance
    from steps

)

select
    pairs.dataset_id,
    pairs.panel,
    pairs.votes,
    pairs.dissenting_votes,
    shares.share_pct,
    -- Not least(), which takes the other value where one is NULL.
    case when climbed.chance > 1 then 1 else climbed.chance end as chance,
    case
        when climbed.chance is not null then cast(null as string)
        when pairs.votes < 2 then 'fewer than two votes'
        else priors.reason
    end as reason
from pairs
cross join shares
left join climbed
    on pairs.dataset_id = climbed.dataset_id
    and pairs.panel = climbed.panel
    and pairs.votes = climbed.votes
    and pairs.dissenting_votes = climbed.dissenting_votes
    and shares.share_pct = climbed.share_pct
left join priors
    on pairs.dataset_id = priors.dataset_id
    and pairs.panel = priors.panel
