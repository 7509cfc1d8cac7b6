{# Writes a whole build down in the schema history: the build, the files it read, and its headline figures where it is
   to be published. reason: why it is not published, or none. What is to be published is written down as not published
   at first: that stays true where publishing fails or is stopped; publish_marts corrects it when the file is there. (ref is refused here: a hook would depend on the models.) #}
{% macro record_build(reason) %}
    {% for table in graph.sources.values() | selectattr('package_name', 'equalto', 'dissent') | selectattr('source_name', 'equalto', 'history') %}
        {# Anew each time: the descriptions may have changed since the table was made. #}
        {% do run_query('comment on table ' ~ source('history', table.name) ~ ' is ' ~ dissent.literals([table.description | trim])[0]) %}
        {% for column in table.columns.values() %}
            {% do run_query('comment on column ' ~ source('history', table.name) ~ '.' ~ column.name ~ ' is ' ~ dissent.literals([column.description | trim])[0]) %}
        {% endfor %}
    {% endfor %}
    {% set record %}
        begin;

        insert into {{ source('history', 'builds') }}
        select
            '{{ invocation_id }}' as build_id,
            timestamp '{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S") }}' as started_at,
            timestamp '{{ modules.datetime.datetime.now(modules.pytz.utc).strftime("%Y-%m-%d %H:%M:%S") }}' as finished_at,
            '{{ var('dissent_version') }}' as dissent_version,
            'not published' as outcome,
            {{ dissent.literals([reason or 'publishing did not finish'])[0] }} as reason;

        insert into {{ source('history', 'build_inputs') }}
        select
            '{{ invocation_id }}' as build_id,
            file_name,
            sha256,
            is_verified,
            rows
        from {{ source('landing', 'landed_files') }};

        {% if not reason %}
        insert into {{ source('history', 'build_figures') }}
        select
            '{{ invocation_id }}' as build_id,
            concat_ws(' ', dataset_id, panel, rule_id, metric) as figure,
            dataset_id,
            panel,
            rule_id,
            metric,
            value
        from {{ graph.nodes['model.dissent.measured_figures'].relation_name }}
        where
            majority_label is null
            and (metric in ('divided_items', 'divided_pct') or (rule_id is null and metric in ('items', 'votes', 'annotators')))

        union all

        select
            '{{ invocation_id }}' as build_id,
            concat_ws(' ', dataset_id, metric) as figure,
            dataset_id,
            cast(null as string) as panel,
            cast(null as string) as rule_id,
            metric,
            cast(figures as double) as value
        from (
            select
                dataset_id,
                count(*) filter (where verdict = 'replicated') as figures_replicated,
                count(*) filter (where verdict = 'differs') as figures_differing,
                count(*) filter (where verdict = 'not evaluated') as figures_not_evaluated
            from {{ graph.nodes['model.dissent.replication'].relation_name }}
            where kind in ('votes', 'derived', 'claim')
            group by dataset_id
        )
        unpivot (figures for metric in (figures_replicated, figures_differing, figures_not_evaluated));
        {% endif %}

        commit;
    {% endset %}
    {% do run_query(record) %}
{% endmacro %}
