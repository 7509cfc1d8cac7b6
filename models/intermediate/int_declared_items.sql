select
    dataset_id,
    item_id
from {{ ref('dissent', 'int_ferplus__images') }}
