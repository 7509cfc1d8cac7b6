{{ config(enabled=project_name == 'dissent') }}

select
    file_row,
    usage as split,
    image_name,
    neutral,
    happiness,
    surprise,
    sadness,
    anger,
    disgust,
    fear,
    contempt,
    unknown,
    nf
from {{ source('ferplus', 'ferplus') }}
