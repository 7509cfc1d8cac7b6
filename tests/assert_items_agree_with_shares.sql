-- The item table ranks labels by an aggregate, the share table by a window: both must name the same majority label, the
-- same second label and the same ties. Returns the items where they don't.
with

ranked as (

    select
        dataset_id,
        panel,
        item_id,
        max(label) filter (where label_rank = 1) as majority_label,
        max(label) filter (where label_rank = 2) as second_label,
        count(*) filter (where is_tied) > 0 as is_tie
    from {{ ref('dissent', 'vote_shares') }}
    group by dataset_id, panel, item_id

)

select
    items.dataset_id,
    items.panel,
    items.item_id
from {{ ref('dissent', 'items') }} as items
left join ranked
    on items.dataset_id = ranked.dataset_id
    and items.panel = ranked.panel
    and items.item_id = ranked.item_id
where
    coalesce(items.majority_label, '') != coalesce(ranked.majority_label, '')
    or coalesce(items.second_label, '') != coalesce(ranked.second_label, '')
    or items.is_tie != coalesce(ranked.is_tie, false)
