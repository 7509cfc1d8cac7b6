{%- set sizes = [1, 3, 5, 10] -%}
{%- set queue_length = 1000 -%}

with

chances as (

    select * from {{ ref('dissent', 'int_review_chance') }}

),

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

-- One row for the items of a kind: kinds that start beyond the queue's length for every number of votes leave.
kinds as (

    select
        dataset_id,
        panel,
        rule_id,
        votes,
        majority_votes,
        second_votes,
        single_vote_labels,
        is_divided,
        {% for size in sizes %}
        max(chance) filter (where more_votes = {{ size }}) as chance_{{ size }},
        max(items_before) filter (where more_votes = {{ size }}) as items_before_{{ size }},
        {% endfor %}
        min(items_before) as fewest_before
    from chances
    group by dataset_id, panel, rule_id, votes, majority_votes, second_votes, single_vote_labels, is_divided
    having min(items_before) < {{ queue_length }}

),

urgent_patterns as (

    select distinct
        kinds.dataset_id,
        kinds.panel,
        patterns.count_pattern,
        patterns.votes,
        patterns.majority_votes,
        patterns.second_votes,
        patterns.single_vote_labels
    from kinds
    inner join patterns
        on kinds.votes = patterns.votes
        and kinds.majority_votes = patterns.majority_votes
        and kinds.second_votes = patterns.second_votes
        and kinds.single_vote_labels = patterns.single_vote_labels

),

-- Items of a kind (same votes on the top two labels, same number of single votes) are equally urgent: the item id
-- orders them, and no more than the queue's length of a kind can get in.
numbered as (

    select
        item_patterns.dataset_id,
        item_patterns.panel,
        item_patterns.item_id,
        item_patterns.majority_label,
        item_patterns.second_label,
        urgent_patterns.votes,
        urgent_patterns.majority_votes,
        urgent_patterns.second_votes,
        urgent_patterns.single_vote_labels,
        row_number() over (
            partition by
                item_patterns.dataset_id,
                item_patterns.panel,
                urgent_patterns.votes,
                urgent_patterns.majority_votes,
                urgent_patterns.second_votes,
                urgent_patterns.single_vote_labels
            order by item_patterns.item_id
        ) as place
    from item_patterns
    inner join urgent_patterns
        on item_patterns.dataset_id = urgent_patterns.dataset_id
        and item_patterns.panel = urgent_patterns.panel
        and item_patterns.count_pattern = urgent_patterns.count_pattern

),

placed as (

    select * from numbered
    where place <= {{ queue_length }}

),

queued as (

    select
        placed.*,
        kinds.rule_id,
        kinds.is_divided,
        {% for size in sizes %}
        coalesce(kinds.chance_{{ size }}, 0) as chance_{{ size }},
        kinds.items_before_{{ size }} + placed.place as rank_{{ size }},
        {% endfor %}
        kinds.fewest_before + placed.place as best_rank
    from placed
    inner join kinds
        on placed.dataset_id = kinds.dataset_id
        and placed.panel = kinds.panel
        and placed.votes = kinds.votes
        and placed.majority_votes = kinds.majority_votes
        and placed.second_votes = kinds.second_votes
        and placed.single_vote_labels = kinds.single_vote_labels

)

select
    queued.dataset_id,
    queued.panel,
    queued.rule_id,
    queued.item_id,
    queued.majority_label,
    queued.second_label,
    queued.votes,
    queued.majority_votes,
    queued.second_votes,
    queued.is_divided,
    {% for size in sizes %}
    queued.chance_{{ size }},
    queued.rank_{{ size }},
    {% endfor %}
    provenance.provenance
from queued
left join provenance
    on queued.dataset_id = provenance.dataset_id
where queued.best_rank <= {{ queue_length }}
