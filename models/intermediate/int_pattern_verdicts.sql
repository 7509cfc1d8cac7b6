{{ config(materialized='table') }}

with

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

thresholds as (

    select * from {{ ref('dissent', 'thresholds') }}

),

-- What each rule looks at: the votes it sets against the total, after single votes are dropped where it says so.
compared as (

    select
        patterns.count_pattern,
        thresholds.rule_id,
        thresholds.min_votes,
        thresholds.min_share_pct,
        case
            when thresholds.drop_single_votes then patterns.votes - patterns.single_vote_labels
            else patterns.votes
        end as total_votes,
        case
            when thresholds.basis = 'off_top' and thresholds.drop_single_votes
                then patterns.dissenting_votes - patterns.single_vote_labels
            when thresholds.basis = 'off_top' then patterns.dissenting_votes
            when thresholds.drop_single_votes and patterns.second_votes = 1 then 0
            else patterns.second_votes
        end as other_votes
    from patterns
    cross join thresholds

)

select
    count_pattern,
    rule_id,
    -- Inclusive, and on integers: 1 - 9/10 >= 0.1 is false in double precision. Nothing left is no verdict.
    case
        when total_votes > 0
            then other_votes >= min_votes and 100 * other_votes >= min_share_pct * total_votes
    end as is_divided
from compared
