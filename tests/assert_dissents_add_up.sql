-- Every dissenting vote is somebody's and somewhere: annotators, pairs of labels and items hold the same number,
-- and as many that stand alone against the rest. Returns the data sets and panels whose sums differ; data sets that
-- come as counts have no annotators to ask.
with

by_item as (

    select
        dataset_id,
        panel,
        cast(sum(dissenting_votes) as bigint) as dissents,
        count(*) filter (where dissenting_votes = 1) as sole_dissents
    from {{ ref('dissent', 'items') }}
    group by dataset_id, panel

),

by_pair as (

    select
        dataset_id,
        panel,
        cast(sum(votes) as bigint) as dissents
    from {{ ref('dissent', 'label_confusion') }}
    group by dataset_id, panel

),

by_annotator as (

    select
        dataset_id,
        'all' as panel,
        cast(sum(dissents) as bigint) as dissents,
        cast(sum(sole_dissents) as bigint) as sole_dissents
    from {{ ref('dissent', 'annotators') }}
    group by dataset_id

)

select
    by_item.dataset_id,
    by_item.panel,
    by_item.dissents,
    by_pair.dissents as dissents_by_pair,
    by_annotator.dissents as dissents_by_annotator,
    by_item.sole_dissents,
    by_annotator.sole_dissents as sole_dissents_by_annotator
from by_item
left join by_pair
    on by_item.dataset_id = by_pair.dataset_id
    and by_item.panel = by_pair.panel
left join by_annotator
    on by_item.dataset_id = by_annotator.dataset_id
    and by_item.panel = by_annotator.panel
where
    by_item.dissents != coalesce(by_pair.dissents, 0)
    or by_item.dissents != by_annotator.dissents
    or by_item.sole_dissents != by_annotator.sole_dissents
