{{ config(enabled=project_name == 'dissent') }}

with

profiles as (

    select * from {{ ref('dissent', 'profiles') }}

),

model_agreement as (

    select * from {{ ref('dissent', 'model_agreement') }}

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

model_files as (

    select * from {{ ref('dissent', 'model_files') }}

),

landed_files as (

    select * from {{ ref('dissent', 'landed_files') }}

),

-- One unverified file makes the set unverified.
model_provenance as (

    select
        model_files.dataset_id,
        model_files.model_set,
        case
            when count(*) filter (where landed_files.provenance = 'unverified') > 0 then 'unverified'
            else 'verified'
        end as provenance
    from model_files
    inner join landed_files
        on model_files.file_name = landed_files.file_name
    group by model_files.dataset_id, model_files.model_set

),

model_sets as (

    select
        dataset_id,
        model_set,
        max(models) as models
    from model_agreement
    group by dataset_id, model_set

),

counted as (

    select
        dataset_id,
        panel,
        rule_id,
        model_set,
        count(profile) as items,
        count(*) filter (where profile = 'agreement') as agreement,
        count(*) filter (where profile = 'human_only') as human_only,
        count(*) filter (where profile = 'model_only') as model_only,
        count(*) filter (where profile = 'mutual') as mutual
    from profiles
    group by dataset_id, panel, rule_id, model_set

)

select
    counted.dataset_id,
    counted.panel,
    counted.rule_id,
    counted.model_set,
    model_sets.models,
    counted.items,
    counted.agreement,
    counted.human_only,
    counted.model_only,
    counted.mutual,
    100e0 * counted.human_only / nullif(counted.items, 0) as hod_pct,
    cast(counted.human_only + counted.mutual as double)
    * (counted.human_only + counted.agreement) / nullif(counted.items, 0) as human_only_if_independent,
    model_provenance.provenance as models_provenance,
    provenance.provenance
from counted
inner join model_sets
    on counted.dataset_id = model_sets.dataset_id
    and counted.model_set = model_sets.model_set
left join model_provenance
    on counted.dataset_id = model_provenance.dataset_id
    and counted.model_set = model_provenance.model_set
left join provenance
    on counted.dataset_id = provenance.dataset_id
