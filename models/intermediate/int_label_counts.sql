with

{% if project_name == 'dissent' %}
ferplus as (

    select * from {{ ref('dissent', 'int_ferplus__label_counts') }}

),

{% endif %}
brought as (

    select
        dataset_id,
        item_id,
        label,
        cast(sum(weight) as bigint) as votes,
        max(true_label) as true_label
    from {{ ref('dissent', 'int_brought_votes') }}
    where drop_reason is null and weight > 0 and annotator_id is null
    group by dataset_id, item_id, label

)

{% if project_name == 'dissent' %}
select
    dataset_id,
    item_id,
    label,
    votes,
    cast(null as string) as true_label
from ferplus

union all

{% endif %}
select
    dataset_id,
    item_id,
    label,
    votes,
    true_label
from brought
