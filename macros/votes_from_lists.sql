{# Votes of a file with a row an item and all its votes in one cell. Arguments: macros/_macros.yml. #}
{% macro votes_from_lists(
    relation, votes, item=[], separator='json', annotators=none, true_label=none, check=none, check_values=[],
    gold_items=false, missing=[], abstain=[], repeats='refuse'
) %}
{% set arrays = {'label': list_or_gap(split_cell(adapter.quote(votes), separator))} %}
{% if annotators %}
    {% do arrays.update({'annotator_id': list_or_gap(split_cell(adapter.quote(annotators), separator))}) %}
{% endif %}
with

exploded as (

    {{ explode_arrays(
        relation,
        keep={
            'file_row': 'file_row',
            'item_id': item_key(item),
            'true_label': true_label_of(true_label),
            'is_attention_check': is_check(true_label, check, check_values, gold_items),
            'is_list': 'coalesce(' ~ is_list(adapter.quote(votes), separator) ~ ', true)',
        },
        arrays=arrays,
    ) }}

),

cells as (

    select
        file_row,
        row_number() over (order by file_row, slot) as vote_order,
        item_id,
        {{ 'annotator_id' if annotators else 'cast(null as string)' }} as annotator_id,
        label,
        cast(1 as bigint) as weight,
        true_label,
        is_attention_check,
        is_list
    from exploded

),

{{ judged_votes(missing, abstain, repeats, none, 'refuse', also={'not is_list': 'undecided: no list'}) }}
{% endmacro %}
