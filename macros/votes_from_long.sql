{# Votes of a file with a row a vote, or a row for several equal votes. Arguments: macros/_macros.yml. #}
{% macro votes_from_long(
    relation, label, item=[], annotator=none, frequency=none, true_label=none, check=none, check_values=[],
    gold_items=false, missing=[], abstain=[], repeats='refuse', separator=none, several='refuse'
) %}
with

cells as (

    select
        file_row,
        file_row as vote_order,
        {{ item_key(item) }} as item_id,
        {{ text_or_null(annotator) }} as annotator_id,
        {{ adapter.quote(label) }} as label,
        {{ whole_number(adapter.quote(frequency)) if frequency else 'cast(1 as bigint)' }} as weight,
        {{ true_label_of(true_label) }} as true_label,
        {{ is_check(true_label, check, check_values, gold_items) }} as is_attention_check
    from {{ relation }}

),

{{ judged_votes(missing, abstain, repeats, separator, several) }}
{% endmacro %}
