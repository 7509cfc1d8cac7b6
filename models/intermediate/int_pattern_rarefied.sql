{{ config(materialized='table') }}

with

draws as (

    select * from {{ ref('dissent', 'int_pattern_draws') }}

),

pattern_labels as (

    select * from {{ ref('dissent', 'int_pattern_labels') }}

),

-- All drawn votes on one label.
unanimous as (

    select
        draws.count_pattern,
        draws.raters,
        coalesce(sum(
            pattern_labels.labels
            * exp(
                {{ ln_choose('pattern_labels.votes', 'draws.raters') }}
                - {{ ln_choose('draws.votes', 'draws.raters') }}
            )
        ), 0) as probability
    from draws
    left join pattern_labels
        on draws.count_pattern = pattern_labels.count_pattern
        and draws.raters <= pattern_labels.votes
    group by draws.count_pattern, draws.raters

),

polynomials as (

    select
        count_pattern,
        labels_seen,
        votes,
        labels,
        {{ elementary_symmetric(without(pattern_counts('count_pattern'), 'position')) }} as others
    from pattern_labels

),

degrees as (

    select
        *,
        {{ series('0', 'labels_seen - 1') }} as degree
    from polynomials

),

coefficients as (

    select
        count_pattern,
        votes,
        labels,
        degree,
        {{ element_at_position('others', 'degree + 1') }} as others
    from degrees

),

-- One label with two votes or more and the rest on different labels with one each.
one_repeated as (

    select
        draws.count_pattern,
        draws.raters,
        sum(
            coefficients.labels * coefficients.others
            * exp(
                {{ ln_choose('coefficients.votes', 'draws.raters - coefficients.degree') }}
                - {{ ln_choose('draws.votes', 'draws.raters') }}
            )
        ) as probability
    from draws
    inner join coefficients
        on draws.count_pattern = coefficients.count_pattern
        and draws.raters - coefficients.degree between 2 and coefficients.votes
    group by draws.count_pattern, draws.raters

),

-- Every drawn vote on a label of its own. Each such draw has any one of its labels as the label singled out, so
-- counting them by label counts each one as often as votes are drawn.
none_repeated as (

    select
        draws.count_pattern,
        draws.raters,
        sum(coefficients.labels * coefficients.votes * coefficients.others / draws.raters)
        * exp(-{{ ln_choose('max(draws.votes)', 'draws.raters') }}) as probability
    from draws
    inner join coefficients
        on draws.count_pattern = coefficients.count_pattern
        and draws.raters - 1 = coefficients.degree
    group by draws.count_pattern, draws.raters

)

select
    draws.count_pattern,
    draws.votes,
    draws.raters,
    -- Rounding may leave 1e-14 outside 0 ... 1, and two labels with two votes each need four.
    greatest(0e0, least(1e0, 1 - unanimous.probability)) as any_vote_rate,
    case
        when draws.raters < 4 then 0e0
        else greatest(
                0e0,
                least(1e0, 1 - coalesce(one_repeated.probability, 0) - coalesce(none_repeated.probability, 0))
            )
    end as two_votes_rate
from draws
inner join unanimous
    on draws.count_pattern = unanimous.count_pattern
    and draws.raters = unanimous.raters
left join one_repeated
    on draws.count_pattern = one_repeated.count_pattern
    and draws.raters = one_repeated.raters
left join none_repeated
    on draws.count_pattern = none_repeated.count_pattern
    and draws.raters = none_repeated.raters
