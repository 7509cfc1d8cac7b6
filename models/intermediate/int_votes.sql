with

{% if project_name == 'dissent' %}
trials as (

    {% for dataset_id in ['cifar10h', 'demo'] %}
    select
        '{{ dataset_id }}' as dataset_id,
        vote_id,
        item_id,
        annotator_id,
        label,
        true_label,
        reaction_time_ms
    from {{ ref('dissent', 'stg_' ~ dataset_id ~ '__trials') }}
    where not is_attention_check
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

),

{% endif %}
brought as (

    select * from {{ ref('dissent', 'int_brought_votes') }}
    where drop_reason is null and weight > 0 and annotator_id is not null

)

{% if project_name == 'dissent' %}
select
    dataset_id,
    vote_id,
    item_id,
    annotator_id,
    label,
    cast(1 as bigint) as weight,
    true_label,
    reaction_time_ms
from trials

union all

{% endif %}
select
    dataset_id,
    vote_id,
    item_id,
    annotator_id,
    label,
    weight,
    true_label,
    cast(null as double) as reaction_time_ms
from brought
