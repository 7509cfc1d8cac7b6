{{ config(materialized='table') }}

with

vote_shares as (

    select * from {{ ref('dissent', 'vote_shares') }}

)

select
    dataset_id,
    panel,
    item_id,
    {{ count_pattern('votes') }} as count_pattern,
    count(*) filter (where is_tied) as tied_labels,
    max(label) filter (where label_rank = 1) as majority_label,
    max(label) filter (where label_rank = 2) as second_label
from vote_shares
group by dataset_id, panel, item_id
