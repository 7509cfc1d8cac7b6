select
    product_id,
    choice,
    count(*) as ratings
from {{ ref('ratings') }}
where is_check = 0
group by product_id, choice
