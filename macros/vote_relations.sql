{# Votes that lie in relations of the warehouse already, as the variable vote_relations names them; its keys are
   described in docs/as-a-package.md.

   vote_relations(): the entries of the variable, checked. #}
{% macro vote_relations() %}
    {% set needed = ['dataset_id', 'relation', 'item', 'label'] %}
    {% set known = needed + [
        'annotator', 'weight', 'true_label', 'attention_check', 'attention_pass_pct', 'vote_order', 'missing',
        'abstain', 'repeats', 'separator', 'several', 'labels', 'title', 'unit',
    ] %}
    {% set entries = var('vote_relations', []) or [] %}
    {% set names = [] %}
    {% for entry in entries %}
        {% set where = 'variable vote_relations, entry ' ~ loop.index ~ ': ' %}
        {% if entry is not mapping %}
            {% do exceptions.raise_compiler_error(where ~ 'it must be a mapping with the keys ' ~ needed | join(', ')) %}
        {% endif %}
        {% set missing = needed | reject('in', entry.keys() | list) | list %}
        {% set unknown = entry.keys() | reject('in', known) | list %}
        {% if missing %}
            {% do exceptions.raise_compiler_error(where ~ 'add the key ' ~ missing[0]) %}
        {% elif unknown %}
            {% do exceptions.raise_compiler_error(
                where ~ 'there is no key ' ~ unknown[0] ~ ': the keys are ' ~ known | join(', ')
            ) %}
        {% elif entry.dataset_id in names %}
            {% do exceptions.raise_compiler_error(where ~ 'the data set ' ~ entry.dataset_id ~ ' is named twice') %}
        {% elif entry.attention_check and not (entry.annotator and entry.true_label and entry.attention_pass_pct is integer) %}
            {% do exceptions.raise_compiler_error(
                where ~ 'attention_check needs annotator, true_label and attention_pass_pct, a whole number of per cent'
            ) %}
        {% endif %}
        {% do names.append(entry.dataset_id) %}
    {% endfor %}
    {{ return(entries) }}
{% endmacro %}

{# named_relation(name): what the key relation of an entry names: a model, seed or snapshot of the root project (lineage
   shows it; the project is named, or a `votes` there could be taken for the one here), a source as
   {source: ..., table: ...}, or, with a dot in it, a relation by its name in the warehouse. #}
{% macro named_relation(name) %}
    {% if name is mapping %}
        {{ return(source(name.source, name.table)) }}
    {% elif '.' in name %}
        {{ return(name) }}
    {% else %}
        {{ return(ref(project_name, name)) }}
    {% endif %}
{% endmacro %}

{# rows_as_text(entry): the rows of an entry's relation in the shape that votes_from_long reads, which is that of a
   landed file. Keys of an entry that name a column may be any SQL expression. #}
{% macro rows_as_text(entry) %}
    {%- set order = entry.vote_order or [entry.item, entry.annotator, entry.label] | select | join(', ') -%}
    (
        select
            cast(row_number() over (order by {{ order }}) as bigint) as file_row,
            cast({{ entry.item }} as string) as item_id,
            cast({{ entry.annotator or 'null' }} as string) as annotator_id,
            cast({{ entry.label }} as string) as label,
            cast({{ entry.weight or 1 }} as string) as weight,
            cast({{ entry.true_label or 'null' }} as string) as true_label,
            case when {{ entry.attention_check or 'false' }} then 'yes' else 'no' end as is_check
        from {{ dissent.named_relation(entry.relation) }}
    ) as rows_as_text
{% endmacro %}

{# warehouse_votes(): the votes of all entries, as votes_from_long makes them; without entries none, with the same
   columns and types. #}
{% macro warehouse_votes() %}
{% for entry in dissent.vote_relations() %}
select
    {{ dissent.literals([entry.dataset_id])[0] }} as dataset_id,
    vote_id,
    file_row,
    item_id,
    annotator_id,
    label,
    weight,
    true_label,
    is_attention_check,
    {% if entry.annotator -%}
    case when drop_reason is null and annotator_id is null then 'undecided: no annotator' else drop_reason end as drop_reason
    {%- else -%}
    drop_reason
    {%- endif %}
from (
    {{ dissent.votes_from_long(
        dissent.rows_as_text(entry),
        label='label',
        item=['item_id'],
        annotator='annotator_id' if entry.annotator else none,
        frequency='weight',
        true_label='true_label',
        check='is_check',
        check_values=['yes'],
        missing=entry.missing or [],
        abstain=entry.abstain or [],
        repeats=entry.repeats or 'refuse',
        separator=entry.separator,
        several=entry.several or 'refuse'
    ) }}
) as votes_of_entry

union all

{% endfor %}
select
    cast(null as string) as dataset_id,
    cast(null as bigint) as vote_id,
    cast(null as bigint) as file_row,
    cast(null as string) as item_id,
    cast(null as string) as annotator_id,
    cast(null as string) as label,
    cast(null as bigint) as weight,
    cast(null as string) as true_label,
    cast(null as boolean) as is_attention_check,
    cast(null as string) as drop_reason
where false
{% endmacro %}

{# warehouse_datasets(): what the entries say about their data sets. #}
{% macro warehouse_datasets() %}
{% for entry in dissent.vote_relations() %}
{% set relation = entry.relation.values() | join('.') if entry.relation is mapping else entry.relation %}
{% set texts = dissent.literals([entry.dataset_id, entry.title or entry.dataset_id, entry.unit or 'item', relation]) %}
select
    {{ texts[0] }} as dataset_id,
    {{ texts[1] }} as title,
    {{ texts[2] }} as unit,
    {{ texts[3] }} as votes_relation,
    cast({{ entry.attention_pass_pct if entry.attention_check else 'null' }} as bigint) as attention_pass_pct,
    cast({{ 1000 + loop.index }} as bigint) as sort_order

union all

{% endfor %}
select
    cast(null as string) as dataset_id,
    cast(null as string) as title,
    cast(null as string) as unit,
    cast(null as string) as votes_relation,
    cast(null as bigint) as attention_pass_pct,
    cast(null as bigint) as sort_order
where false
{% endmacro %}

{# warehouse_labels(): the labels that the entries declare. #}
{% macro warehouse_labels() %}
{% for entry in dissent.vote_relations() %}
{% for label in entry.labels or [] %}
select
    {{ dissent.literals([entry.dataset_id])[0] }} as dataset_id,
    {{ dissent.literals([label])[0] }} as label,
    cast({{ loop.index }} as bigint) as label_order

union all

{% endfor %}
{% endfor %}
select
    cast(null as string) as dataset_id,
    cast(null as string) as label,
    cast(null as bigint) as label_order
where false
{% endmacro %}
