{{ config(materialized='table') }}
{%- set sizes = [1, 3, 5, 10] -%}

with

item_states as (

    select * from {{ ref('dissent', 'int_item_states') }}

),

priors as (

    select * from {{ ref('dissent', 'int_share_priors') }}
    where votes_used = 'all' and mean_share > 0

),

last_votes as (

    select * from {{ ref('dissent', 'int_last_votes') }}

),

outcomes as (

    select cast(1 as bigint) as is_hit
    union all
    select cast(0 as bigint) as is_hit

),

after_0 as (

    select distinct
        item_states.dataset_id,
        item_states.panel,
        priors.basis,
        item_states.votes,
        case
            when priors.basis = 'off_top' then item_states.votes - item_states.majority_votes
            else item_states.second_votes
        end as hits,
        cast(0 as bigint) as new_hits,
        cast(1 as double) as weight
    from item_states
    inner join priors
        on item_states.dataset_id = priors.dataset_id
        and item_states.panel = priors.panel

),

-- Vote by vote: the chance of a hit is the beta's, (a + hits) / (a + b + votes), times what hindsight says of items
-- with so many hits.
{% for step in range(sizes | max) %}
chances_{{ step }} as (

    select
        after_{{ step }}.*,
        least(
            cast(1 as double),
            coalesce(last_votes.factor, 1)
            * (priors.base_a + after_{{ step }}.hits + after_{{ step }}.new_hits)
            / (priors.base_a + priors.base_b + after_{{ step }}.votes + {{ step }})
        ) as hit_chance
    from after_{{ step }}
    inner join priors
        on after_{{ step }}.dataset_id = priors.dataset_id
        and after_{{ step }}.panel = priors.panel
        and after_{{ step }}.basis = priors.basis
    left join last_votes
        on after_{{ step }}.dataset_id = last_votes.dataset_id
        and after_{{ step }}.panel = last_votes.panel
        and after_{{ step }}.basis = last_votes.basis
        and after_{{ step }}.hits + after_{{ step }}.new_hits = last_votes.hits

),

after_{{ step + 1 }} as (

    select
        chances.dataset_id,
        chances.panel,
        chances.basis,
        chances.votes,
        chances.hits,
        chances.new_hits + outcomes.is_hit as new_hits,
        sum(
            chances.weight * case when outcomes.is_hit = 1 then chances.hit_chance else 1 - chances.hit_chance end
        ) as weight
    from chances_{{ step }} as chances
    cross join outcomes
    group by
        chances.dataset_id,
        chances.panel,
        chances.basis,
        chances.votes,
        chances.hits,
        chances.new_hits + outcomes.is_hit

),

{% endfor %}
unioned as (

    {% for size in sizes %}
    select
        after_{{ size }}.*,
        cast({{ size }} as bigint) as more_votes
    from after_{{ size }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

)

select
    dataset_id,
    panel,
    basis,
    votes,
    hits,
    more_votes,
    new_hits,
    weight
from unioned
