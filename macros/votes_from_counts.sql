{# Votes of a file with a row an item and a column a label that holds its number of votes; a blank is 0.
   Arguments: macros/_macros.yml. #}
{% macro votes_from_counts(relation, labels, item=[], total=none, true_label=none, abstain=[]) %}
{% set names = labels.values() | list %}
with

exploded as (

    {{ explode_arrays(
        relation,
        keep={
            'file_row': 'file_row',
            'item_id': item_key(item),
            'true_label': true_label_of(true_label),
            'total': text_or_null(total),
        },
        arrays={'label': array_of(literals(names)), 'votes': array_of(quoted(labels))},
    ) }}

),

cells as (

    select
        file_row,
        (file_row - 1) * {{ names | length }} + slot as vote_order,
        item_id,
        cast(null as string) as annotator_id,
        label,
        case when trim(coalesce(votes, '')) = '' then 0 else {{ whole_number('votes') }} end as weight,
        true_label,
        false as is_attention_check,
        total,
        {{ whole_number('total') }} as total_votes
    from exploded

),

checked as (

    select
        *,
        case
            when total_votes is null then trim(coalesce(total, '')) != ''
            else sum(weight) over (partition by file_row) != total_votes
        end as is_unlike_total
    from cells

)

select
    vote_order as vote_id,
    file_row,
    item_id,
    annotator_id,
    label,
    coalesce(weight, 0) as weight,
    true_label,
    is_attention_check,
    case
        when weight is null then 'undecided: no count'
        when is_unlike_total then 'undecided: unlike the total'
        {%- if abstain %}
        when label in ({{ literals(abstain) | join(', ') }}) and weight > 0 then 'abstention'
        {%- endif %}
    end as drop_reason
from checked
{% endmacro %}
