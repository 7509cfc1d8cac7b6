-- The six items of each data set on which the second label comes closest to the first, most votes first.
with ranked as (
    select
        items.*,
        row_number() over (
            partition by items.dataset_id
            order by items.second_share desc, items.votes desc, items.normalised_entropy desc, items.item_id
        ) as item_rank
    from items
    inner join lead_panels as leads on items.dataset_id = leads.dataset_id and items.panel = leads.panel
    where items.second_votes > 0
)

select
    names.dataset || ', ' || ranked.panel as part,
    ranked.item_id,
    ranked.votes,
    ranked.true_label,
    list({'label': shares.label, 'votes': shares.votes} order by shares.label_rank) as vote_bar
from ranked
inner join vote_shares as shares
    on ranked.dataset_id = shares.dataset_id and ranked.panel = shares.panel and ranked.item_id = shares.item_id
inner join dataset_names as names on ranked.dataset_id = names.dataset_id
where ranked.item_rank <= 6
group by names.dataset_order, part, ranked.item_rank, ranked.item_id, ranked.votes, ranked.true_label
order by names.dataset_order, ranked.item_rank
