{{ config(materialized='table') }}

with

patterns as (

    select * from {{ ref('dissent', 'int_count_patterns') }}

),

pattern_labels as (

    select * from {{ ref('dissent', 'int_pattern_labels') }}

),

harmonic_numbers as (

    select * from {{ ref('dissent', 'int_harmonic_numbers') }}

),

zhang as (

    select
        pattern_labels.count_pattern,
        sum(
            pattern_labels.labels * cast(pattern_labels.votes as double) / pattern_labels.item_votes
            * (of_item.harmonic - of_label.harmonic)
        ) as entropy_nats
    from pattern_labels
    inner join harmonic_numbers as of_item
        on pattern_labels.item_votes - 1 = of_item.n
    inner join harmonic_numbers as of_label
        on pattern_labels.votes - 1 = of_label.n
    group by pattern_labels.count_pattern

)

select
    patterns.count_pattern,
    patterns.entropy_nats + (patterns.labels_seen - 1) / (2e0 * patterns.votes) as miller_madow_nats,
    zhang.entropy_nats as zhang_nats
from patterns
inner join zhang
    on patterns.count_pattern = zhang.count_pattern
