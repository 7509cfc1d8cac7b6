with

datasets as (

    select * from {{ ref('dissent', 'datasets') }}

),

files as (

    select * from {{ ref('dissent', 'landed_files') }}

)

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
