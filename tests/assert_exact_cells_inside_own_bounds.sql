-- Exact cells of a model set lie inside the bounds that hod_bounds would take from the set's own any-vote cells over
-- all annotators, wherever the rule's divided items lie inside that division. Returns the cells outside.
{{ config(enabled=project_name == 'dissent') }}
with

exact as (

    select * from {{ ref('dissent', 'profile_sweep') }}

),

own as (

    select
        dataset_id,
        model_set,
        human_only,
        mutual
    from exact
    where panel = 'all' and rule_id = 'any_vote'

),

inside as (

    select
        dataset_id,
        panel,
        rule_id
    from {{ ref('dissent', 'hod_bounds') }}
    where divided_outside = 0

)

select
    exact.dataset_id,
    exact.panel,
    exact.rule_id,
    exact.model_set,
    exact.human_only,
    greatest(0, exact.human_only + exact.mutual - own.mutual) as hod_lower,
    least(exact.human_only + exact.mutual, own.human_only) as hod_upper
from exact
inner join own
    on exact.dataset_id = own.dataset_id
    and exact.model_set = own.model_set
inner join inside
    on exact.dataset_id = inside.dataset_id
    and exact.panel = inside.panel
    and exact.rule_id = inside.rule_id
where exact.human_only not between
    greatest(0, exact.human_only + exact.mutual - own.mutual)
    and least(exact.human_only + exact.mutual, own.human_only)
