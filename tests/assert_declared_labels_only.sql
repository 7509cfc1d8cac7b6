-- Data sets that declare their labels hold no other: one more label would change every normalised entropy.
with

declaring as (

    select distinct dataset_id from {{ ref('dissent', 'int_declared_labels') }}

),

labels as (

    select * from {{ ref('dissent', 'int_labels') }}

)

select
    labels.dataset_id,
    labels.label
from labels
inner join declaring
    on labels.dataset_id = declaring.dataset_id
where not labels.is_declared
