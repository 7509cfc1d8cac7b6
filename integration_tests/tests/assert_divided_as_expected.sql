-- The package counts what follows from how the ratings were laid out. Returns the cells that differ or are missing.
select
    expected.dataset_id,
    expected.panel,
    expected.rule_id,
    expected.divided as expected_divided,
    sweep.divided
from {{ ref('expected_divided') }} as expected
left join {{ ref('dissent', 'threshold_sweep') }} as sweep
    on expected.dataset_id = sweep.dataset_id
    and expected.panel = sweep.panel
    and expected.rule_id = sweep.rule_id
where
    sweep.rule_id is null
    or sweep.divided != expected.divided
    or sweep.items != expected.items
