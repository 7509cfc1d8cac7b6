-- The shop's items and the package's stand side by side and name the same products. Returns those in one only.
select
    own.item_number,
    theirs.item_id
from {{ ref('items') }} as own
full outer join {{ ref('dissent', 'items') }} as theirs
    on own.item_number = theirs.item_id
    and theirs.dataset_id = 'rated'
    and theirs.panel = 'all'
where
    own.item_number is null and theirs.dataset_id = 'rated' and theirs.panel = 'all'
    or theirs.item_id is null
