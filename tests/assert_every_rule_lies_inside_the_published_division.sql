-- The bounds of the article, max(0, divided - MD) and min(divided, HoD), hold only where a rule divides no item
-- that the published division calls unanimous. Returns the rules that do.
{{ config(enabled=project_name == 'dissent') }}
select
    dataset_id,
    panel,
    rule_id,
    divided_outside
from {{ ref('dissent', 'hod_bounds') }}
where divided_outside > 0
