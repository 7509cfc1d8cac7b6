{{ config(enabled=project_name == 'dissent') }}

with

item_patterns as (

    select * from {{ ref('dissent', 'int_item_patterns') }}

),

verdicts as (

    select * from {{ ref('dissent', 'int_pattern_verdicts') }}

),

model_agreement as (

    select * from {{ ref('dissent', 'model_agreement') }}

)

select
    item_patterns.dataset_id,
    item_patterns.panel,
    item_patterns.item_id,
    verdicts.rule_id,
    model_agreement.model_set,
    verdicts.is_divided,
    model_agreement.is_unanimous as models_unanimous,
    case
        when verdicts.is_divided and model_agreement.is_unanimous then 'human_only'
        when verdicts.is_divided then 'mutual'
        when not verdicts.is_divided and model_agreement.is_unanimous then 'agreement'
        when not verdicts.is_divided then 'model_only'
    end as profile
from item_patterns
inner join model_agreement
    on item_patterns.dataset_id = model_agreement.dataset_id
    and item_patterns.item_id = model_agreement.item_id
inner join verdicts
    on item_patterns.count_pattern = verdicts.count_pattern
