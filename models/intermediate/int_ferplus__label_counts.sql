{{ config(enabled=project_name == 'dissent') }}

with

images as (

    select * from {{ ref('dissent', 'int_ferplus__images') }}

),

labels as (

    select * from {{ ref('dissent', 'labels') }}

),

-- PrivateTest comes twice: its eight emotions, and all ten columns as a data set of its own.
listed as (

    select
        dataset_id as labels_of,
        *
    from images

    union all

    select
        'ferplus_ten_columns' as labels_of,
        *
    from images
    where dataset_id = 'ferplus'

),

cells as (

    select
        listed.labels_of as dataset_id,
        listed.item_id,
        labels.label,
        {% set columns = [
            'neutral', 'happiness', 'surprise', 'sadness', 'anger', 'disgust', 'fear', 'contempt', 'unknown', 'NF',
        ] %}
        case labels.label
            {% for column in columns %}
            when '{{ column }}' then listed.{{ column | lower }}
            {% endfor %}
        end as votes
    from listed
    inner join labels
        on listed.labels_of = labels.dataset_id

)

select
    dataset_id,
    item_id,
    label,
    votes
from cells
where votes > 0
