with

{% if project_name == 'dissent' %}
datasets as (

    select * from {{ ref('dissent', 'datasets') }}

),

files as (

    select * from {{ ref('dissent', 'landed_files') }}

),

{% endif %}
relations as (

    select * from {{ ref('dissent', 'stg_warehouse__datasets') }}

)

{% if project_name == 'dissent' %}
select
    datasets.dataset_id,
    datasets.title,
    datasets.unit,
    datasets.votes_file,
    files.provenance,
    files.landed_at,
    files.licence,
    files.citation,
    datasets.sort_order
from datasets
inner join files
    on datasets.votes_file = files.file_name

union all

{% endif %}
select
    dataset_id,
    title,
    unit,
    votes_relation as votes_file,
    'warehouse' as provenance,
    cast(null as timestamp) as landed_at,
    cast(null as string) as licence,
    cast(null as string) as citation,
    sort_order
from relations
