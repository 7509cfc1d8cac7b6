select
    dataset_id,
    item_id,
    label,
    votes
from {{ ref('dissent', 'int_ferplus__label_counts') }}
