{{ config(enabled=project_name == 'dissent') }}

with

published as (

    select * from {{ ref('dissent', 'int_published_counts') }}

),

counted as (

    select * from {{ ref('dissent', 'vote_counts') }}
    where panel = 'attentive'

),

datasets as (

    select * from {{ ref('dissent', 'int_datasets') }}
    where published_counts_file is not null

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

cells as (

    select
        coalesce(published.dataset_id, counted.dataset_id) as dataset_id,
        coalesce(published.votes, 0) as published_votes,
        coalesce(counted.votes, 0) as counted_votes
    from published
    full outer join counted
        on published.dataset_id = counted.dataset_id
        and published.item_id = counted.item_id
        and published.label = counted.label

),

compared as (

    select
        dataset_id,
        count(*) as cells,
        count(*) filter (where published_votes != counted_votes) as cells_differing,
        sum(published_votes) > 0 and sum(counted_votes) > 0 as both_landed
    from cells
    group by dataset_id

)

select
    datasets.dataset_id,
    'attentive' as panel,
    case when compared.both_landed then compared.cells end as cells,
    case when compared.both_landed then compared.cells_differing end as cells_differing,
    provenance.provenance
from datasets
left join compared
    on datasets.dataset_id = compared.dataset_id
left join provenance
    on datasets.dataset_id = provenance.dataset_id
