with

panels as (

    select * from {{ ref('dissent', 'panels') }}
    where panel = 'all'

),

checked as (

    select distinct dataset_id from {{ ref('dissent', 'int_annotator_checks') }}

),

items as (

    select
        dataset_id,
        count(*) filter (where votes = 1) as single_vote_items,
        count(*) filter (where votes between 1 and 10) as items_up_to_ten,
        count(*) filter (where true_label is not null) as items_with_true_label
    from {{ ref('dissent', 'items') }}
    where panel = 'all'
    group by dataset_id

),

facts as (

    select
        panels.dataset_id,
        panels.items,
        panels.items_without_votes,
        panels.annotators,
        panels.provenance,
        checked.dataset_id is not null as has_attention_checks,
        items.single_vote_items,
        items.items_up_to_ten,
        items.items_with_true_label
    from panels
    inner join items
        on panels.dataset_id = items.dataset_id
    left join checked
        on panels.dataset_id = checked.dataset_id

),

limits as (

    select
        facts.*,
        'no annotators' as audit_limit,
        facts.items as items_concerned,
        'the file names no annotators: no panels, no table of annotators, repeated votes can''t be told' as statement
    from facts
    where facts.annotators is null

    union all

    select
        facts.*,
        'no attention checks' as audit_limit,
        facts.items as items_concerned,
        'no attention checks: only the panel all, nobody can be dropped for inattention' as statement
    from facts
    where facts.annotators is not null and not facts.has_attention_checks

    union all

    select
        facts.*,
        'single votes' as audit_limit,
        facts.single_vote_items as items_concerned,
        'fewer than two votes an item: no agreement there, and such an item always counts as unanimous' as statement
    from facts
    where facts.single_vote_items > 0

    union all

    select
        facts.*,
        'ten votes or fewer' as audit_limit,
        facts.items_up_to_ten as items_concerned,
        'ten votes or fewer an item: there the 10 % rule is the same as any vote' as statement
    from facts
    where facts.items_up_to_ten > 0

    union all

    select
        facts.*,
        'items without votes' as audit_limit,
        facts.items_without_votes as items_concerned,
        'items without a counted vote: listed in items, left out of every share' as statement
    from facts
    where facts.items_without_votes > 0

    union all

    select
        facts.*,
        'no true labels' as audit_limit,
        facts.items as items_concerned,
        'no true labels: disagreement can be measured, accuracy can''t' as statement
    from facts
    where facts.items_with_true_label = 0

)

select
    dataset_id,
    audit_limit,
    items_concerned,
    100e0 * items_concerned / nullif(items + items_without_votes, 0) as items_pct,
    statement,
    provenance
from limits
