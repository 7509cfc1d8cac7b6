{% if project_name == 'dissent' %}
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

union all

{% endif %}
select distinct
    dataset_id,
    item_id
from {{ ref('dissent', 'int_brought_votes') }}
where not is_attention_check
