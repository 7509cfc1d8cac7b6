{% if project_name == 'dissent' %}
select
    dataset_id,
    label,
    label_order
from {{ ref('dissent', 'labels') }}

union all

{% endif %}
select
    dataset_id,
    label,
    label_order
from {{ ref('dissent', 'stg_warehouse__labels') }}
