{# The trials of a file in the shape of cifar10h-raw.csv, renamed and typed: CIFAR-10H and the demo have it.
   relation: the raw table. #}
{% macro trials(relation) %}
select
    file_row as vote_id,
    cast(annotator_id as string) as annotator_id,
    trial_index,
    is_attn_check = 1 as is_attention_check,
    cast(cifar10_test_test_idx as string) as item_id,
    chosen_category as label,
    true_category as true_label,
    reaction_time as reaction_time_ms
from {{ relation }}
{% endmacro %}
