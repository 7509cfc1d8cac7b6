-- What may be said about single annotators, and where there are none.
with absent as (
    select names.dataset, names.dataset_order
    from dataset_names as names
    inner join panels on names.dataset_id = panels.dataset_id and panels.panel = 'all'
    where
        panels.votes > 0
        and names.dataset_id not in (
            select dataset_id from annotator_attention where attention_accuracy is not null
        )
)

select remark
from (
    select distinct names.dataset_order as remark_order, names.dataset || ': ' || others.note || '.' as remark
    from annotators as others
    inner join dataset_names as names on others.dataset_id = names.dataset_id
    where others.note is not null
    union all
    select
        1000000,
        'Not shown, because the votes name no annotators or nobody was checked: '
        || string_agg(dataset, '; ' order by dataset_order) || '.'
    from absent
)
where remark is not null
order by remark_order
