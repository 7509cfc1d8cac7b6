-- One row per declared file: landed or not, verified or not.
select
    provenance,
    file_name,
    taken_from,
    rows,
    strftime(landed_at, '%-d %b %Y') as landed,
    licence,
    citation
from landed_files
order by
    case provenance when 'verified' then 1 when 'unverified' then 2 when 'generated' then 3 else 4 end,
    file_name
