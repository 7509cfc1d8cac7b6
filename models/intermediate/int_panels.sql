{{ config(materialized='table') }}

with

vote_counts as (

    select distinct dataset_id from {{ ref('dissent', 'int_vote_counts') }}

),

checked as (

    select distinct dataset_id from {{ ref('dissent', 'int_annotator_checks') }}

),

checked_panels as (

    select 'attentive' as panel
    union all
    select 'dropped' as panel

)

select
    dataset_id,
    'all' as panel
from vote_counts

union all

select
    checked.dataset_id,
    checked_panels.panel
from checked
cross join checked_panels
