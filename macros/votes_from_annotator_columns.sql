{# Votes of a file with a row an item and a column an annotator. Arguments: macros/_macros.yml. #}
{% macro votes_from_annotator_columns(
    relation, annotators, item=[], true_label=none, check=none, check_values=[], gold_items=false,
    missing=[], abstain=[], repeats='refuse', separator=none, several='refuse'
) %}
{% set names = annotators.values() | list %}
with

exploded as (

    {{ explode_arrays(
        relation,
        keep={
            'file_row': 'file_row',
            'item_id': item_key(item),
            'true_label': true_label_of(true_label),
            'is_attention_check': is_check(true_label, check, check_values, gold_items),
        },
        arrays={'annotator_id': array_of(literals(names)), 'label': array_of(quoted(annotators))},
    ) }}

),

cells as (

    select
        file_row,
        (file_row - 1) * {{ names | length }} + slot as vote_order,
        item_id,
        annotator_id,
        label,
        cast(1 as bigint) as weight,
        true_label,
        is_attention_check
    from exploded

),

{{ judged_votes(missing, abstain, repeats, separator, several) }}
{% endmacro %}
