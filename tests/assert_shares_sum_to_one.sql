-- The shares of an item's labels sum to 1, its ranks count its labels, one label is the majority, and tied
-- labels are two or more. Returns the items that break it.
select
    dataset_id,
    panel,
    item_id,
    sum(share) as shares,
    max(label_rank) as last_rank
from {{ ref('dissent', 'vote_shares') }}
group by dataset_id, panel, item_id
having
    abs(sum(share) - 1) > 1e-9
    or max(label_rank) != count(*)
    or count(*) filter (where is_majority) != 1
    or count(*) filter (where is_tied) = 1
