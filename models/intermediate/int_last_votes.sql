{{ config(materialized='table') }}

with

pattern_items as (

    select
        dataset_id,
        panel,
        count_pattern,
        cast(sum(items) as bigint) as items
    from {{ ref('dissent', 'int_pattern_items') }}
    where items > 0
    group by dataset_id, panel, count_pattern

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}
    where votes >= 2

),

priors as (

    select * from {{ ref('dissent', 'int_share_priors') }}
    where votes_used = 'all' and mean_share > 0

),

exploded as (

    select
        count_pattern,
        {{ explode_pattern('count_pattern') }} as label_votes
    from patterns

),

-- The chance that an item's last vote, any of them with equal chance, brought a hit: the votes without which there
-- would be one less.
taken_back as (

    select
        patterns.count_pattern,
        patterns.votes,
        patterns.dissenting_votes,
        patterns.second_votes,
        case
            -- Of two labels on top, either can lose a vote and the majority stays as large.
            when patterns.majority_labels > 1 then 1
            else cast(patterns.dissenting_votes as double) / patterns.votes
        end as off_top_chance,
        case
            when count(*) filter (where exploded.label_votes >= patterns.second_votes) > 2 then 0
            when patterns.majority_votes = patterns.second_votes then 2
            else 1
        end * cast(patterns.second_votes as double) / patterns.votes as second_label_chance
    from patterns
    inner join exploded
        on patterns.count_pattern = exploded.count_pattern
    group by
        patterns.count_pattern,
        patterns.votes,
        patterns.dissenting_votes,
        patterns.second_votes,
        patterns.majority_votes,
        patterns.majority_labels

),

judged as (

    select
        pattern_items.dataset_id,
        pattern_items.panel,
        pattern_items.items,
        priors.basis,
        priors.base_a,
        priors.base_b,
        taken_back.votes,
        case
            when priors.basis = 'off_top' then taken_back.dissenting_votes else taken_back.second_votes
        end as hits,
        case
            when priors.basis = 'off_top' then taken_back.off_top_chance else taken_back.second_label_chance
        end as hit_chance
    from pattern_items
    inner join taken_back
        on pattern_items.count_pattern = taken_back.count_pattern
    inner join priors
        on pattern_items.dataset_id = priors.dataset_id
        and pattern_items.panel = priors.panel

),

outcomes as (

    select 1 as is_hit
    union all
    select 0 as is_hit

),

before as (

    select
        judged.dataset_id,
        judged.panel,
        judged.basis,
        judged.hits - outcomes.is_hit as hits,
        outcomes.is_hit,
        judged.items * case when outcomes.is_hit = 1 then judged.hit_chance else 1 - judged.hit_chance end as items,
        (judged.base_a + judged.hits - outcomes.is_hit)
        / (judged.base_a + judged.base_b + judged.votes - 1) as expected_chance
    from judged
    cross join outcomes
    where judged.hits >= outcomes.is_hit

)

select
    dataset_id,
    panel,
    basis,
    hits,
    sum(items) as items,
    sum(items * is_hit) as observed,
    sum(items * expected_chance) as expected,
    -- An item's worth of doubt, so that few items don't decide alone.
    (sum(items * is_hit) + 1) / (sum(items * expected_chance) + 1) as factor
from before
where items > 0
group by dataset_id, panel, basis, hits
