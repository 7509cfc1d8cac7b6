{{ config(enabled=project_name == 'dissent') }}

with

published as (

    select * from {{ ref('dissent', 'published_figures') }}

),

measured as (

    select * from {{ ref('dissent', 'measured_figures') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

compared as (

    select
        published.figure_id,
        published.kind,
        published.source,
        published.dataset_id,
        published.panel,
        published.rule_id,
        published.majority_label,
        published.metric,
        published.comparison,
        published.expected,
        published.decimals,
        measured.value as observed,
        published.note,
        provenance.provenance,
        -- A row without a value says that an input is missing; no row at all that the figure was not found.
        published.kind in ('votes', 'derived', 'claim')
        and provenance.provenance != 'not landed'
        and (measured.metric is null or measured.value is not null) as is_evaluated
    from published
    left join measured
        on published.dataset_id = measured.dataset_id
        and published.panel = measured.panel
        and coalesce(published.rule_id, '') = coalesce(measured.rule_id, '')
        and coalesce(published.majority_label, '') = coalesce(measured.majority_label, '')
        and published.metric = measured.metric
    left join provenance
        on published.dataset_id = provenance.dataset_id

)

select
    figure_id,
    kind,
    source,
    dataset_id,
    panel,
    rule_id,
    majority_label,
    metric,
    comparison,
    expected,
    decimals,
    case when is_evaluated then observed end as observed,
    case
        when not is_evaluated then 'not evaluated'
        -- Half a unit of the last published decimal, and a hair for binary fractions.
        when comparison = 'equal' and abs(observed - expected) <= 0.5 * power(10, -decimals) + 1e-9 then 'replicated'
        when comparison = 'above' and observed > expected then 'replicated'
        when comparison = 'below' and observed < expected then 'replicated'
        else 'differs'
    end as verdict,
    provenance,
    note
from compared
