{{ config(enabled=project_name == 'dissent') }}

with

images as (

    select * from {{ ref('dissent', 'stg_ferplus__images') }}
    where image_name is not null

)

select
    -- Four image names repeat: the row tells them apart, or their votes would merge silently.
    case
        when count(*) over (partition by image_name) > 1 then concat(image_name, ':', file_row)
        else image_name
    end as item_id,
    case split
        when 'PrivateTest' then 'ferplus'
        when 'PublicTest' then 'ferplus_public_test'
        when 'Training' then 'ferplus_training'
    end as dataset_id,
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
from images
