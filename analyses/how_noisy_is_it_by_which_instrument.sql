-- How noisy are the labels, and how far do the instruments disagree about that?
select
    dataset_id,
    panel,
    instrument,
    noise_pct,
    reason,
    provenance
from {{ ref('dissent', 'label_noise_by_instrument') }}
where panel in ('all', 'attentive')
order by dataset_id, panel, noise_pct desc nulls last
