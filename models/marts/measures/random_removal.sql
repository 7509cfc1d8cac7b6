with

pattern_pairs as (

    select * from {{ ref('dissent', 'int_panel_pattern_pairs') }}
    where panel = 'attentive'

),

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

rarefied as (

    select * from {{ ref('dissent', 'int_pattern_rarefied') }}

),

effects as (

    select * from {{ ref('dissent', 'dropped_annotator_effect') }}

),

-- As many votes are left on the item as the dropped annotators leave, drawn at random from all of them.
expected as (

    select
        pattern_pairs.dataset_id,
        sum(
            pattern_pairs.items
            * case
                when everyone.second_votes = 0 then 0e0
                when attentive.votes = 1 then 1e0
                else 1 - rarefied.any_vote_rate
            end
        ) as any_vote,
        sum(
            pattern_pairs.items
            * case
                when everyone.second_votes < 2 then 0e0
                when attentive.votes < 4 then 1e0
                else 1 - rarefied.two_votes_rate
            end
        ) as two_votes
    from pattern_pairs
    inner join patterns as everyone
        on pattern_pairs.all_pattern = everyone.count_pattern
    inner join patterns as attentive
        on pattern_pairs.panel_pattern = attentive.count_pattern
    left join rarefied
        on pattern_pairs.all_pattern = rarefied.count_pattern
        and attentive.votes = rarefied.raters
    group by pattern_pairs.dataset_id

)

{% for rule in ['any_vote', 'two_votes'] %}
select
    effects.dataset_id,
    effects.rule_id,
    effects.items,
    effects.flipped_to_divided as observed_unanimous,
    expected.{{ rule }} as expected_unanimous,
    effects.flipped_to_divided / nullif(expected.{{ rule }}, 0) as ratio,
    effects.provenance
from effects
inner join expected
    on effects.dataset_id = expected.dataset_id
where effects.rule_id = '{{ rule }}'
{% if not loop.last %}union all{% endif %}
{% endfor %}
