{# on-run-end: publishes the marts when this invocation ran every enabled model, seed and test successfully;
   otherwise it prints why not, and the last good published database stays. A partial run never publishes:
   it could bring values that failed an earlier test. Only the root project publishes. #}
{% macro publish(results) %}
    {% if execute and project_name == 'dissent' and flags.WHICH in ['build', 'run', 'seed', 'test', 'snapshot', 'retry'] %}
        {{ adapter.dispatch('publish', 'dissent')(results) }}
    {% endif %}
{% endmacro %}

{% macro default__publish(results) %}{% endmacro %}

{% macro duckdb__publish(results) %}
    {% set why_not = dissent.why_not_published(results) %}
    {% if dissent.is_whole_build(results) %}
        {% do dissent.record_build(why_not) %}
    {% endif %}
    {% if why_not %}
        {% do print('not published: ' ~ why_not ~ '; the published database stays as it was') %}
    {% else %}
        {% set names = [] %}
        {% for node in graph.nodes.values() if node.resource_type in ['model', 'seed'] and node.config.schema == 'dissent_marts' %}
            {% do names.append(node.alias) %}
        {% endfor %}
        {# Somebody's own annotators: their ids are published as pseudonyms unless the environment says otherwise. #}
        {% set brought = var('brought', []) + dissent.vote_relations() | map(attribute='dataset_id') | list %}
        {% set arguments = dissent.literals([names | sort | join(','), tojson(brought), invocation_id]) %}
        {% set answer = run_query('select publish_marts(' ~ arguments | join(', ') ~ ')') %}
        {% do print(answer.columns[0][0]) %}
    {% endif %}
{% endmacro %}

{# The reason not to publish, or an empty string. #}
{% macro why_not_published(results) %}
    {% set bad = dissent.failed_results(results) %}
    {% set given = dissent.partial_options() %}
    {% set left_out = dissent.left_out_nodes(results) %}
    {% if bad %}
        {{ return(bad | length ~ ' of ' ~ results | length ~ ' models, seeds and tests did not succeed') }}
    {% elif flags.WHICH != 'build' %}
        {{ return('dbt ' ~ flags.WHICH ~ ' is not a whole build') }}
    {% elif given %}
        {{ return('this was a partial build (--' ~ given | join(', --') | replace('_', '-') ~ ')') }}
    {% elif left_out %}
        {{ return(left_out | length ~ ' models, seeds or tests did not run (' ~ left_out[0] ~ ', for one)') }}
    {% else %}
        {{ return('') }}
    {% endif %}
{% endmacro %}

{# Whether this invocation was to run everything; a build that failed need not have reached it all. #}
{% macro is_whole_build(results) %}
    {% set is_complete = dissent.failed_results(results) or not dissent.left_out_nodes(results) %}
    {{ return(flags.WHICH == 'build' and not dissent.partial_options() and is_complete) }}
{% endmacro %}

{# Results of what did not succeed; an exposure does nothing and can't fail. #}
{% macro failed_results(results) %}
    {{ return(results | rejectattr('status', 'in', ['success', 'pass', 'warn', 'no-op']) | list) }}
{% endmacro %}

{# Options of the command line that leave something out. #}
{% macro partial_options() %}
    {% set partial = ['select', 'exclude', 'selector', 'resource_types', 'exclude_resource_types', 'empty', 'sample'] %}
    {% set given = [] %}
    {% for option in partial if invocation_args_dict.get(option) %}{% do given.append(option) %}{% endfor %}
    {{ return(given) }}
{% endmacro %}

{# Names of enabled models, seeds and tests that did not run. #}
{% macro left_out_nodes(results) %}
    {% set ran = results | map(attribute='node.unique_id') | list %}
    {% set left_out = [] %}
    {% for node in graph.nodes.values() if node.resource_type in ['model', 'seed', 'test'] and node.config.materialized != 'ephemeral' %}
        {% if node.unique_id not in ran %}{% do left_out.append(node.name) %}{% endif %}
    {% endfor %}
    {{ return(left_out) }}
{% endmacro %}
