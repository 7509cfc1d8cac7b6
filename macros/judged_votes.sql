{# The common end of the votes_from_ macros: which of the CTE `cells` count as votes, and why the others don't.
   A reason that begins with "undecided" is nobody's choice yet: landing refuses the file, and a test fails the build.
   also: {SQL condition: reason} of a shape's own. #}
{% macro judged_votes(missing, abstain, repeats, separator, several, also={}) %}
{% if separator and several == 'count_each' %}
exploded_labels as (

    {{ explode_arrays(
        'cells',
        keep={
            'file_row': 'file_row',
            'vote_order': 'vote_order',
            'item_id': 'item_id',
            'annotator_id': 'annotator_id',
            'weight': 'weight',
            'true_label': 'true_label',
            'is_attention_check': 'is_attention_check',
        },
        arrays={'label': list_or_gap(split_cell('label', separator))},
    ) }}

),
{% endif %}

reasoned as (

    select
        *,
        case
            {%- for condition, reason in also.items() %}
            when {{ condition }} then '{{ reason }}'
            {%- endfor %}
            when weight is null then 'undecided: no count'
            when label is null{% if missing %} or label in ({{ literals(missing) | join(', ') }}){% endif %} then 'missing'
            {%- if abstain %}
            when label in ({{ literals(abstain) | join(', ') }}) then 'abstention'
            {%- endif %}
            {%- if separator and several != 'count_each' %}
            when {{ is_several('label', separator) }} then 'undecided: several labels'
            {%- endif %}
        end as reason
    from {{ 'exploded_labels' if separator and several == 'count_each' else 'cells' }}

){% if repeats != 'count_all' %},

ordered as (

    select
        *,
        dense_rank() over (
            partition by item_id, annotator_id, is_attention_check, reason
            order by vote_order {{ 'desc' if repeats == 'keep_last' else 'asc' }}
        ) as vote_rank
    from reasoned

)
{% endif %}

select
    {% if separator and several == 'count_each' -%}
    row_number() over (order by vote_order, slot) as vote_id,
    {%- else -%}
    vote_order as vote_id,
    {%- endif %}
    file_row,
    item_id,
    annotator_id,
    label,
    coalesce(weight, 0) as weight,
    true_label,
    is_attention_check,
    {% if repeats == 'count_all' -%}
    reason as drop_reason
    {%- else -%}
    case
        when reason is not null then reason
        -- An annotator may meet the same attention check many times.
        when annotator_id is null or is_attention_check then null
        -- Equal votes in one row have no order in which one could be kept.
        when weight > 1 then 'undecided: repeated vote'
        when vote_rank > 1
            then '{{ 'undecided: repeated vote' if repeats == 'refuse' else 'repeated vote' }}'
    end as drop_reason
    {%- endif %}
from {{ 'reasoned' if repeats == 'count_all' else 'ordered' }}
{% endmacro %}
