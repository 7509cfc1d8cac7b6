with

cells as (

    select * from {{ ref('dissent', 'int_vote_cells') }}

),

voted_labels as (

    select * from {{ ref('dissent', 'int_voted_labels') }}
    where annotator_numbers is null

),

items as (

    select * from {{ ref('dissent', 'int_voted_items') }}

),

panels as (

    select * from {{ ref('dissent', 'int_panels') }}

),

by_annotator as (

    select
        item_number,
        label_order,
        sum(votes) as votes,
        sum(first_half_votes) as first_votes,
        coalesce(sum(votes) filter (where not is_attentive), 0) as dropped,
        coalesce(sum(first_half_votes) filter (where not is_attentive), 0) as first_dropped
    from cells
    group by item_number, label_order

),

-- Where only counts are known, an item's votes are numbered in label order ...
spans as (

    select
        item_number,
        label_order,
        votes,
        cast(sum(votes) over (
            partition by item_number
            order by label_order
        ) as bigint) as last_number
    from voted_labels

),

numbered as (

    select
        item_number,
        label_order,
        {{ series('last_number - votes + 1', 'last_number') }} as vote_number
    from spans

),

-- ... and, shuffled by their hash, go to the halves in turn: a coin for each vote would make the halves unequal.
shuffled as (

    select
        numbered.item_number,
        numbered.label_order,
        row_number() over (
            partition by numbered.item_number
            order by md5(concat(items.item_id, ':', numbered.vote_number)), numbered.vote_number
        ) % 2 = 1 as is_first
    from numbered
    inner join items
        on numbered.item_number = items.item_number

),

by_number as (

    select
        item_number,
        label_order,
        count(*) as votes,
        count(*) filter (where is_first) as first_votes
    from shuffled
    group by item_number, label_order

),

halved as (

    select * from by_annotator

    union all

    select
        item_number,
        label_order,
        votes,
        first_votes,
        0 as dropped,
        0 as first_dropped
    from by_number

),

counted as (

    select
        items.dataset_id,
        panels.panel,
        halved.item_number,
        halved.label_order,
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
    inner join items
        on halved.item_number = items.item_number
    inner join panels
        on items.dataset_id = panels.dataset_id

)

select
    dataset_id,
    panel,
    item_number,
    label_order,
    cast(first_votes as bigint) as first_votes,
    cast(votes - first_votes as bigint) as second_votes
from counted
where votes > 0
