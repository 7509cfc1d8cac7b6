-- The pins: every published figure that the data determine comes out as published. The one figure of kind
-- claim is contradicted by the data; it is shown with that verdict and does not fail the build.
{{ config(enabled=project_name == 'dissent') }}
select
    figure_id,
    dataset_id,
    panel,
    expected,
    observed,
    verdict
from {{ ref('dissent', 'replication') }}
where verdict = 'differs' and kind != 'claim'
