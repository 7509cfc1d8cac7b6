with

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

)

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
