-- The same votes stand in every table: single votes and landed counts, counts per label, shares, items and
-- the annotators' totals. Returns the data sets and panels whose sums differ.
with

entered as (

    select
        dataset_id,
        'all' as panel,
        cast(sum(weight) as bigint) as votes
    from {{ ref('dissent', 'votes') }}
    group by dataset_id

    union all

    select
        dataset_id,
        'all' as panel,
        cast(sum(votes) as bigint) as votes
    from {{ ref('dissent', 'int_label_counts') }}
    group by dataset_id

),

by_annotator as (

    select
        dataset_id,
        'all' as panel,
        cast(sum(votes) as bigint) as votes
    from {{ ref('dissent', 'annotator_attention') }}
    group by dataset_id

),

numbered as (

    select
        items.dataset_id,
        'all' as panel,
        cast(sum(numbered_votes.weight) as bigint) as votes
    from {{ ref('dissent', 'int_numbered_votes') }} as numbered_votes
    inner join {{ ref('dissent', 'int_voted_items') }} as items
        on numbered_votes.item_number = items.item_number
    group by items.dataset_id

),

in_cells as (

    select
        items.dataset_id,
        'all' as panel,
        cast(sum(cells.votes) as bigint) as votes
    from {{ ref('dissent', 'int_vote_cells') }} as cells
    inner join {{ ref('dissent', 'int_voted_items') }} as items
        on cells.item_number = items.item_number
    group by items.dataset_id

),

counted as (

    select
        dataset_id,
        panel,
        cast(sum(votes) as bigint) as votes
    from {{ ref('dissent', 'vote_counts') }}
    group by dataset_id, panel

),

shared as (

    select
        dataset_id,
        panel,
        cast(sum(votes) as bigint) as votes
    from {{ ref('dissent', 'vote_shares') }}
    group by dataset_id, panel

),

by_item as (

    select
        dataset_id,
        panel,
        cast(sum(votes) as bigint) as votes
    from {{ ref('dissent', 'items') }}
    group by dataset_id, panel

)

select
    counted.dataset_id,
    counted.panel,
    counted.votes,
    entered.votes as entered_votes,
    by_annotator.votes as annotator_votes,
    numbered.votes as numbered_votes,
    in_cells.votes as votes_in_cells,
    shared.votes as shared_votes,
    by_item.votes as item_votes
from counted
left join entered
    on counted.dataset_id = entered.dataset_id
    and counted.panel = entered.panel
left join by_annotator
    on counted.dataset_id = by_annotator.dataset_id
    and counted.panel = by_annotator.panel
left join numbered
    on counted.dataset_id = numbered.dataset_id
    and counted.panel = numbered.panel
left join in_cells
    on counted.dataset_id = in_cells.dataset_id
    and counted.panel = in_cells.panel
left join shared
    on counted.dataset_id = shared.dataset_id
    and counted.panel = shared.panel
left join by_item
    on counted.dataset_id = by_item.dataset_id
    and counted.panel = by_item.panel
where
    (counted.panel = 'all' and coalesce(entered.votes, 0) != counted.votes)
    or by_annotator.votes != counted.votes
    -- Where annotators are named, their votes are numbered, all of them.
    or coalesce(numbered.votes, 0) != coalesce(by_annotator.votes, 0)
    or coalesce(in_cells.votes, 0) != coalesce(by_annotator.votes, 0)
    or coalesce(shared.votes, 0) != counted.votes
    or coalesce(by_item.votes, 0) != counted.votes
