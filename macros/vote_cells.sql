{# Small parts of the votes_from_ macros. Raw columns are text, so nothing is cast before it is known to be a number. #}

{# literals(values): the texts as SQL literals. #}
{% macro literals(values) -%}
    {% set written = [] %}
    {% for value in values %}{% do written.append(adapter.dispatch('text_literal', 'dissent')(value)) %}{% endfor %}
    {{ return(written) }}
{%- endmacro %}

{% macro default__text_literal(value) -%}
    {{ return("'" ~ value | string | replace("'", "''") ~ "'") }}
{%- endmacro %}

{% macro spark__text_literal(value) -%}
    {{ return("'" ~ value | string | replace('\\', '\\\\') | replace("'", "\\'") ~ "'") }}
{%- endmacro %}

{# quoted(columns): the columns' names as SQL identifiers. #}
{% macro quoted(columns) -%}
    {% set written = [] %}
    {% for column in columns %}{% do written.append(adapter.quote(column)) %}{% endfor %}
    {{ return(written) }}
{%- endmacro %}

{% macro text_or_null(column) -%}
    {{ return(adapter.quote(column) if column else 'cast(null as string)') }}
{%- endmacro %}

{# item_key(columns): the item, its columns joined by |; without columns the row of the file is the item. #}
{% macro item_key(columns) -%}
    {{ return(quoted(columns) | join(" || '|' || ") if columns else 'cast(file_row as string)') }}
{%- endmacro %}

{% macro true_label_of(column) -%}
    {{ return('nullif(' ~ adapter.quote(column) ~ ", '')" if column else 'cast(null as string)') }}
{%- endmacro %}

{# is_check(true_label, check, check_values, gold_items): whether a row is an attention check: its column `check` holds
   one of `check_values`, or, with gold_items, it has a true label. #}
{% macro is_check(true_label, check, check_values, gold_items) -%}
    {% if check %}
        {{ return('coalesce(' ~ adapter.quote(check) ~ ' in (' ~ literals(check_values) | join(', ') ~ '), false)') }}
    {% elif gold_items and true_label %}
        {{ return('coalesce(' ~ adapter.quote(true_label) ~ ", '') != ''") }}
    {% else %}
        {{ return('false') }}
    {% endif %}
{%- endmacro %}

{# whole_number(text): the text as bigint where it spells a whole number (3 or 3.0), else NULL. #}
{% macro whole_number(text) -%}
    {{ return("case when regexp_replace(trim(" ~ text ~ "), '^[0-9]{1,15}([.]0*)?$', '') = '' and trim(" ~ text ~ ") != ''"
        ~ " then cast(try_cast(trim(" ~ text ~ ") as double) as bigint) end") }}
{%- endmacro %}

{% macro array_of(expressions) -%}
    {{ return(adapter.dispatch('array_of', 'dissent')(expressions)) }}
{%- endmacro %}

{% macro default__array_of(expressions) -%}
    {{ return('[' ~ expressions | join(', ') ~ ']') }}
{%- endmacro %}

{% macro spark__array_of(expressions) -%}
    {{ return('array(' ~ expressions | join(', ') ~ ')') }}
{%- endmacro %}

{# list_or_gap(list): the list, or one gap where it is empty or missing, so that the row isn't lost. #}
{% macro list_or_gap(list) -%}
    {{ return('coalesce(nullif(' ~ list ~ ', ' ~ empty_list() ~ '), ' ~ array_of(['cast(null as string)']) ~ ')') }}
{%- endmacro %}

{% macro empty_list() -%}
    {{ return(adapter.dispatch('empty_list', 'dissent')()) }}
{%- endmacro %}

{% macro default__empty_list() -%}
    {{ return('cast([] as varchar[])') }}
{%- endmacro %}

{% macro spark__empty_list() -%}
    {{ return('cast(array() as array<string>)') }}
{%- endmacro %}

{# split_cell(cell, separator): the cell's texts as a list; separator 'json' reads a JSON list, NULL where it is none. #}
{% macro split_cell(cell, separator) -%}
    {{ return(adapter.dispatch('split_cell', 'dissent')(cell, separator)) }}
{%- endmacro %}

{% macro default__split_cell(cell, separator) -%}
    {% if separator == 'json' %}
        {{ return('case when ' ~ is_list(cell, separator) ~ " then json_extract_string(" ~ cell ~ ", '$[*]') end") }}
    {% else %}
        {{ return('string_split(' ~ cell ~ ', ' ~ literals([separator])[0] ~ ')') }}
    {% endif %}
{%- endmacro %}

{% macro spark__split_cell(cell, separator) -%}
    {% if separator == 'json' %}
        {{ return('from_json(' ~ cell ~ ", 'array<string>')") }}
    {% else %}
        {{ return('split(' ~ cell ~ ', ' ~ literals(['\\Q' ~ separator ~ '\\E'])[0] ~ ')') }}
    {% endif %}
{%- endmacro %}

{# is_list(cell, separator): whether the cell can be split; any text can, but for JSON. NULL for an empty cell. #}
{% macro is_list(cell, separator) -%}
    {{ return(adapter.dispatch('is_list', 'dissent')(cell) if separator == 'json' else 'true') }}
{%- endmacro %}

{% macro default__is_list(cell) -%}
    {{ return("case when json_valid(" ~ cell ~ ") then json_type(" ~ cell ~ ") = 'ARRAY' when " ~ cell ~ " != '' then false end") }}
{%- endmacro %}

{% macro spark__is_list(cell) -%}
    {{ return("case when " ~ cell ~ " != '' then from_json(" ~ cell ~ ", 'array<string>') is not null end") }}
{%- endmacro %}

{# is_several(cell, separator): whether a vote names several labels. #}
{% macro is_several(cell, separator) -%}
    {{ return(adapter.dispatch('is_several', 'dissent')(split_cell(cell, separator))) }}
{%- endmacro %}

{% macro default__is_several(list) -%}
    {{ return('len(' ~ list ~ ') > 1') }}
{%- endmacro %}

{% macro spark__is_several(list) -%}
    {{ return('size(' ~ list ~ ') > 1') }}
{%- endmacro %}

{# explode_arrays(relation, keep, arrays): a row for each position of the arrays, all as long as the longest, with
   the position as `slot`. keep, arrays: {column: SQL expression}. #}
{% macro explode_arrays(relation, keep, arrays) -%}
    {{ return(adapter.dispatch('explode_arrays', 'dissent')(relation, keep, arrays)) }}
{%- endmacro %}

{% macro default__explode_arrays(relation, keep, arrays) %}
    select
        {%- for column, expression in keep.items() %}
        {{ expression }} as {{ column }},
        {%- endfor %}
        {%- for column, expression in arrays.items() %}
        unnest({{ expression }}) as {{ column }},
        {%- endfor %}
        unnest(range(1, greatest({% for expression in arrays.values() %}len({{ expression }}){% if not loop.last %}, {% endif %}{% endfor %}) + 1)) as slot
    from {{ relation }}
{% endmacro %}

{% macro spark__explode_arrays(relation, keep, arrays) %}
    select
        {%- for column in keep %}
        {{ column }},
        {%- endfor %}
        {%- for column in arrays %}
        element.{{ column }} as {{ column }},
        {%- endfor %}
        cast(position + 1 as bigint) as slot
    from (
        select
            {%- for column, expression in keep.items() %}
            {{ expression }} as {{ column }},
            {%- endfor %}
            {%- for column, expression in arrays.items() %}
            {{ expression }} as {{ column }}{% if not loop.last %},{% endif %}
            {%- endfor %}
        from {{ relation }}
    )
    lateral view posexplode(arrays_zip({{ arrays | join(', ') }})) exploded as position, element
{% endmacro %}
