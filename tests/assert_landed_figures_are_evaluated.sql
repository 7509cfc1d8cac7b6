-- A pin that silently stops being evaluated is worse than one that fails: once a data set has landed each of its
-- figures has a verdict. Only the comparison with published counts waits for a second file.
{{ config(enabled=project_name == 'dissent') }}
select
    replication.figure_id,
    replication.metric,
    replication.verdict
from {{ ref('dissent', 'replication') }} as replication
inner join {{ ref('dissent', 'datasets') }} as datasets
    on replication.dataset_id = datasets.dataset_id
left join {{ ref('dissent', 'landed_files') }} as counts_file
    on datasets.published_counts_file = counts_file.file_name
where
    replication.kind in ('votes', 'derived', 'claim')
    and replication.provenance != 'not landed'
    and replication.verdict = 'not evaluated'
    and not (
        replication.metric = 'cells_differing_from_published_counts'
        and counts_file.provenance = 'not landed'
    )
