-- Human counts that a file of model outputs carries are those of its data set's panel attentive (all, without attention
-- checks), cell by cell: the file's rows then are the items they are taken for. Returns the cells that differ.
{{ config(enabled=project_name == 'dissent') }}
with

in_files as (

    select
        counts.file_name,
        model_files.dataset_id,
        counts.item_id,
        counts.label,
        counts.votes
    from {{ ref('dissent', 'stg_model_outputs__human_counts') }} as counts
    inner join {{ ref('dissent', 'model_files') }} as model_files
        on counts.file_name = model_files.file_name

),

panels as (

    select
        dataset_id,
        -- attentive comes after all.
        max(panel) as panel
    from {{ ref('dissent', 'panels') }}
    where panel in ('all', 'attentive')
    group by dataset_id

),

files as (

    select distinct
        in_files.file_name,
        in_files.dataset_id,
        panels.panel
    from in_files
    inner join panels
        on in_files.dataset_id = panels.dataset_id

),

counted as (

    select
        files.file_name,
        vote_counts.item_id,
        vote_counts.label,
        vote_counts.votes
    from files
    inner join {{ ref('dissent', 'vote_counts') }} as vote_counts
        on files.dataset_id = vote_counts.dataset_id
        and files.panel = vote_counts.panel

),

cells as (

    select
        in_files.file_name,
        in_files.item_id,
        in_files.label,
        in_files.votes as votes_in_file,
        0 as votes_counted
    from in_files
    inner join files
        on in_files.file_name = files.file_name

    union all

    select
        file_name,
        item_id,
        label,
        0 as votes_in_file,
        votes as votes_counted
    from counted

)

select
    file_name,
    item_id,
    label,
    sum(votes_in_file) as votes_in_file,
    sum(votes_counted) as votes_counted
from cells
group by file_name, item_id, label
having sum(votes_in_file) != sum(votes_counted)
