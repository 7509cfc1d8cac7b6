{% if project_name == 'dissent' %}
select
    dataset_id,
    title,
    unit,
    votes_file,
    attention_pass_pct,
    published_counts_file,
    sort_order
from {{ ref('dissent', 'datasets') }}

union all

{% endif %}
select
    dataset_id,
    title,
    unit,
    cast(null as string) as votes_file,
    attention_pass_pct,
    cast(null as string) as published_counts_file,
    sort_order
from {{ ref('dissent', 'stg_warehouse__datasets') }}
