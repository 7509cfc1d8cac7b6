with

attention_checks as (

    select * from {{ ref('dissent', 'int_attention_checks') }}

),

brought as (

    select * from {{ ref('dissent', 'int_brought_votes') }}
    where drop_reason != 'attention check'

),

datasets as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

combined as (

    select
        dataset_id,
        'attention check' as drop_reason,
        cast(1 as bigint) as weight
    from attention_checks

    union all

    select
        dataset_id,
        drop_reason,
        weight
    from brought

)

select
    combined.dataset_id,
    combined.drop_reason as reason,
    count(*) as cells,
    cast(sum(combined.weight) as bigint) as votes,
    max(datasets.provenance) as provenance
from combined
left join datasets
    on combined.dataset_id = datasets.dataset_id
group by combined.dataset_id, combined.drop_reason
