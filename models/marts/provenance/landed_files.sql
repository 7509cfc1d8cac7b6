{{ config(enabled=project_name == 'dissent') }}

with

declared as (

    select * from {{ ref('dissent', 'source_files') }}

),

landed as (

    select * from {{ ref('dissent', 'stg_landing__files') }}

)

select
    declared.file_name,
    case
        when landed.file_name is null then 'not landed'
        when landed.taken_from = 'generated' then 'generated'
        when landed.is_verified then 'verified'
        else 'unverified'
    end as provenance,
    landed.taken_from,
    declared.address,
    declared.sha256 as declared_sha256,
    landed.sha256,
    landed.is_verified,
    landed.bytes,
    landed.rows,
    nullif(landed.warnings, '') as warnings,
    landed.landed_at,
    declared.licence,
    declared.citation
from declared
left join landed
    on declared.file_name = landed.file_name
