select
    dataset_id,
    item_id
from {{ ref('dissent', 'int_ferplus__images') }}

union all

select
    'ferplus_ten_columns' as dataset_id,
    item_id
from {{ ref('dissent', 'int_ferplus__images') }}
where dataset_id = 'ferplus'
