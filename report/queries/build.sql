-- What the page was made from.
select
    strftime(max(landed_at), '%-d %B %Y') as last_landing,
    count(*) filter (where provenance != 'not landed') as files_landed,
    count(*) as files
from landed_files
