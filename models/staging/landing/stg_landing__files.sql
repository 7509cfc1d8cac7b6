{{ config(enabled=project_name == 'dissent') }}

select
    file_name,
    taken_from,
    sha256,
    bytes,
    rows,
    is_verified,
    warnings,
    landed_at
from {{ source('landing', 'landed_files') }}
