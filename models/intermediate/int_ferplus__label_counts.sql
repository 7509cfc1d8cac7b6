with

images as (

    select * from {{ ref('dissent', 'int_ferplus__images') }}

),

labels as (

    select * from {{ ref('dissent', 'labels') }}

),

cells as (

    select
        images.dataset_id,
        images.item_id,
        labels.label,
        case labels.label
            {% for emotion in ['neutral', 'happiness', 'surprise', 'sadness', 'anger', 'disgust', 'fear', 'contempt'] %}
            when '{{ emotion }}' then images.{{ emotion }}
            {% endfor %}
        end as votes
    from images
    inner join labels
        on images.dataset_id = labels.dataset_id

)

select
    dataset_id,
    item_id,
    label,
    votes
from cells
where votes > 0
