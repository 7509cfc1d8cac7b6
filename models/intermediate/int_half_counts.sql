with

cells as (

    select * from {{ ref('dissent', 'int_vote_cells') }}

),

items as (

    select * from {{ ref('dissent', 'int_voted_items') }}

),

label_counts as (

    select * from {{ ref('dissent', 'int_label_counts') }}

),

labels as (

    select * from {{ ref('dissent', 'int_labels') }}

),

panels as (

    select * from {{ ref('dissent', 'int_panels') }}

),

by_half as (

    select
        item_number,
        label,
        sum(votes) as votes,
        sum(first_half_votes) as first_votes,
        sum(votes) filter (where not is_attentive) as dropped,
        sum(first_half_votes) filter (where not is_attentive) as first_dropped
    from cells
    group by item_number, label

),

by_annotator as (

    select
        items.dataset_id,
        items.item_id,
        by_half.label,
        by_half.votes,
        by_half.first_votes,
        by_half.dropped,
        by_half.first_dropped
    from by_half
    inner join items
        on by_half.item_number = items.item_number

),

-- Where only counts are known, an item's votes are numbered in label order ...
spans as (

    select
        label_counts.dataset_id,
        label_counts.item_id,
        label_counts.label,
        label_counts.votes,
        cast(sum(label_counts.votes) over (
            partition by label_counts.dataset_id, label_counts.item_id
            order by labels.label_order
        ) as bigint) as last_number
    from label_counts
    inner join labels
        on label_counts.dataset_id = labels.dataset_id
        and label_counts.label = labels.label

),

numbered as (

    select
        dataset_id,
        item_id,
        label,
        {{ series('last_number - votes + 1', 'last_number') }} as vote_number
    from spans

),

-- ... and, shuffled by their hash, go to the halves in turn: a coin for each vote would make the halves unequal.
shuffled as (

    select
        dataset_id,
        item_id,
        label,
        row_number() over (
            partition by dataset_id, item_id
            order by md5(concat(item_id, ':', vote_number)), vote_number
        ) % 2 = 1 as is_first
    from numbered

),

by_number as (

    select
        dataset_id,
        item_id,
        label,
        count(*) as votes,
        count(*) filter (where is_first) as first_votes
    from shuffled
    group by dataset_id, item_id, label

),

halved as (

    select
        dataset_id,
        item_id,
        label,
        votes,
        coalesce(first_votes, 0) as first_votes,
        coalesce(dropped, 0) as dropped,
        coalesce(first_dropped, 0) as first_dropped
    from by_annotator

    union all

    select
        dataset_id,
        item_id,
        label,
        votes,
        first_votes,
        0 as dropped,
        0 as first_dropped
    from by_number

),

counted as (

    select
        halved.dataset_id,
        panels.panel,
        halved.item_id,
        halved.label,
        case panels.panel
            when 'all' then halved.votes
            when 'attentive' then halved.votes - halved.dropped
            when 'dropped' then halved.dropped
        end as votes,
        case panels.panel
            when 'all' then halved.first_votes
            when 'attentive' then halved.first_votes - halved.first_dropped
            when 'dropped' then halved.first_dropped
        end as first_votes
    from halved
    inner join panels
        on halved.dataset_id = panels.dataset_id

)

select
    dataset_id,
    panel,
    item_id,
    label,
    cast(first_votes as bigint) as first_votes,
    cast(votes - first_votes as bigint) as second_votes
from counted
where votes > 0
