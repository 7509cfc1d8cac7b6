with

priors as (

    select * from {{ ref('dissent', 'int_share_priors') }}
    where votes_used = 'all'

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

)

select
    priors.dataset_id,
    priors.panel,
    priors.basis,
    priors.items,
    priors.mean_share,
    priors.prior_a,
    priors.prior_b,
    priors.reason,
    provenance.provenance
from priors
left join provenance
    on priors.dataset_id = provenance.dataset_id
