with

{% if project_name == 'dissent' %}
trials as (

    {% for dataset_id in ['cifar10h', 'demo'] %}
    select
        '{{ dataset_id }}' as dataset_id,
        vote_id as check_id,
        annotator_id,
        label = true_label as is_passed
    from {{ ref('dissent', 'stg_' ~ dataset_id ~ '__trials') }}
    where is_attention_check
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

),

{% endif %}
brought as (

    select * from {{ ref('dissent', 'int_brought_votes') }}
    where drop_reason = 'attention check'

)

{% if project_name == 'dissent' %}
select
    dataset_id,
    check_id,
    annotator_id,
    is_passed
from trials

union all

{% endif %}
select
    dataset_id,
    vote_id as check_id,
    annotator_id,
    label = true_label as is_passed
from brought
