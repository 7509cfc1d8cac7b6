-- Every trial that landed is either a vote or an attention check, and none is both: a filter that drops
-- a row, or a join that doubles one, shows here. Returns the data sets whose numbers differ.
{{ config(enabled=project_name == 'dissent') }}
with

trials as (

    {% for dataset_id in ['cifar10h', 'demo'] %}
    select
        '{{ dataset_id }}' as dataset_id,
        count(*) as trials
    from {{ source(dataset_id, dataset_id ~ '_raw') }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

),

votes as (

    select
        dataset_id,
        count(*) as votes
    from {{ ref('dissent', 'int_votes') }}
    group by dataset_id

),

checks as (

    select
        dataset_id,
        count(*) as checks
    from {{ ref('dissent', 'int_attention_checks') }}
    group by dataset_id

)

select
    trials.dataset_id,
    trials.trials,
    votes.votes,
    checks.checks
from trials
left join votes
    on trials.dataset_id = votes.dataset_id
left join checks
    on trials.dataset_id = checks.dataset_id
where trials.trials != coalesce(votes.votes, 0) + coalesce(checks.checks, 0)
