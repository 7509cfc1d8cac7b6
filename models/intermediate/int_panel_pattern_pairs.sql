{{ config(materialized='table') }}

with

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

)

select
    everyone.dataset_id,
    in_panel.panel,
    everyone.count_pattern as all_pattern,
    in_panel.count_pattern as panel_pattern,
    count(*) as items
from item_patterns as everyone
inner join item_patterns as in_panel
    on everyone.dataset_id = in_panel.dataset_id
    and everyone.item_id = in_panel.item_id
where everyone.panel = 'all'
group by everyone.dataset_id, in_panel.panel, everyone.count_pattern, in_panel.count_pattern
