-- The shop's own items: same name as a table of the package, same schema as the package uses where it is the root.
select distinct product_id as item_number
from {{ ref('ratings') }}
where is_check = 0
