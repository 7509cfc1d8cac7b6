{{ config(materialized='table') }}

{% set with_true_labels = var('brought_true_labels', []) %}

with

votes as (

    {% for dataset_id in var('brought', []) %}
    select
        '{{ dataset_id }}' as dataset_id,
        vote_id,
        item_id,
        annotator_id,
        label,
        weight,
        true_label,
        is_attention_check,
        drop_reason
    from {{ ref('dissent', 'stg_' ~ dataset_id ~ '__votes') }}

    union all
    {% endfor %}

    select
        dataset_id,
        vote_id,
        item_id,
        annotator_id,
        label,
        weight,
        true_label,
        is_attention_check,
        drop_reason
    from {{ ref('dissent', 'stg_warehouse__votes') }}

),

true_labels as (

    {% for dataset_id in with_true_labels %}
    select
        '{{ dataset_id }}' as dataset_id,
        item_id,
        true_label,
        is_gold_item
    from {{ ref('dissent', 'stg_' ~ dataset_id ~ '__true_labels') }}

    union all
    {% endfor %}

    select
        cast(null as string) as dataset_id,
        cast(null as string) as item_id,
        cast(null as string) as true_label,
        cast(null as boolean) as is_gold_item
    where false

)

select
    votes.dataset_id,
    votes.vote_id,
    votes.item_id,
    votes.annotator_id,
    votes.label,
    votes.weight,
    coalesce(true_labels.true_label, votes.true_label) as true_label,
    votes.is_attention_check or coalesce(true_labels.is_gold_item, false) as is_attention_check,
    case
        when votes.drop_reason is not null then votes.drop_reason
        when votes.is_attention_check or true_labels.is_gold_item then 'attention check'
    end as drop_reason
from votes
left join true_labels
    on votes.dataset_id = true_labels.dataset_id
    and votes.item_id = true_labels.item_id
