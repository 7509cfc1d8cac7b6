with

half_patterns as (

    select
        dataset_id,
        panel,
        first_votes,
        first_off_top,
        second_votes,
        second_off_top,
        cast(sum(items) as bigint) as items
    from {{ ref('dissent', 'int_half_patterns') }}
    where first_votes >= 2 and second_votes >= 1
    group by dataset_id, panel, first_votes, first_off_top, second_votes, second_off_top

),

priors as (

    select * from {{ ref('dissent', 'int_share_priors') }}
    where votes_used = 'first half' and prior_a is not null

),

shares as (

    select distinct min_share_pct as share_pct from {{ ref('dissent', 'thresholds') }}
    where min_share_pct between 1 and 99

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

-- Narrow where most items are, at the low end.
{% set edges = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1] %}
bins as (

    {% for edge in edges[:-1] %}
    select
        cast({{ loop.index }} as bigint) as bin,
        cast({{ edge }} as double) as predicted_from,
        cast({{ edges[loop.index] }} as double) as predicted_to
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

),

situations as (

    select distinct
        half_patterns.dataset_id,
        half_patterns.panel,
        half_patterns.first_votes,
        half_patterns.first_off_top,
        half_patterns.second_votes,
        priors.prior_a + half_patterns.first_off_top as a,
        priors.prior_b + half_patterns.first_votes - half_patterns.first_off_top as b
    from half_patterns
    inner join priors
        on half_patterns.dataset_id = priors.dataset_id
        and half_patterns.panel = priors.panel

),

draws as (

    select
        *,
        {{ series('0', 'second_votes') }} as off_votes
    from situations

),

-- Beta-binomial: so many votes of the other half fall off the first half's top label.
weighed as (

    select
        *,
        exp(
            {{ ln_choose('second_votes', 'off_votes') }}
            + {{ ln_gamma('a + off_votes') }} - {{ ln_gamma('a') }}
            + {{ ln_gamma('b + second_votes - off_votes') }} - {{ ln_gamma('b') }}
            - {{ ln_gamma('a + b + second_votes') }} + {{ ln_gamma('a + b') }}
        ) as weight
    from draws

),

predicted as (

    select
        weighed.dataset_id,
        weighed.panel,
        weighed.first_votes,
        weighed.first_off_top,
        weighed.second_votes,
        shares.share_pct,
        least(cast(1 as double), round(sum(weighed.weight), 12)) as chance
    from weighed
    inner join shares
        on 100 * weighed.off_votes >= shares.share_pct * weighed.second_votes
    group by
        weighed.dataset_id,
        weighed.panel,
        weighed.first_votes,
        weighed.first_off_top,
        weighed.second_votes,
        shares.share_pct

),

compared as (

    select
        predicted.dataset_id,
        predicted.panel,
        predicted.share_pct,
        bins.bin,
        bins.predicted_from,
        bins.predicted_to,
        cast(sum(half_patterns.items) as bigint) as items,
        sum(half_patterns.items * predicted.chance) as expected,
        cast(coalesce(sum(half_patterns.items) filter (
            where 100 * half_patterns.second_off_top >= predicted.share_pct * half_patterns.second_votes
        ), 0) as bigint) as observed
    from predicted
    inner join half_patterns
        on predicted.dataset_id = half_patterns.dataset_id
        and predicted.panel = half_patterns.panel
        and predicted.first_votes = half_patterns.first_votes
        and predicted.first_off_top = half_patterns.first_off_top
        and predicted.second_votes = half_patterns.second_votes
    inner join bins
        on predicted.chance >= bins.predicted_from
        and (predicted.chance < bins.predicted_to or bins.predicted_to = 1)
    group by
        predicted.dataset_id,
        predicted.panel,
        predicted.share_pct,
        bins.bin,
        bins.predicted_from,
        bins.predicted_to

)

select
    compared.dataset_id,
    compared.panel,
    compared.share_pct,
    compared.bin,
    compared.predicted_from,
    compared.predicted_to,
    compared.items,
    compared.expected,
    compared.observed,
    compared.expected / compared.items as predicted_rate,
    cast(compared.observed as double) / compared.items as observed_rate,
    {{ wilson_pct("compared.observed", "compared.items", 'low') }} / 100 as observed_rate_low,
    {{ wilson_pct("compared.observed", "compared.items", 'high') }} / 100 as observed_rate_high,
    provenance.provenance
from compared
left join provenance
    on compared.dataset_id = provenance.dataset_id
