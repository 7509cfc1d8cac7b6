{# Where dissent is the root project its schemas are staging, intermediate and marts. As a package they are what the
   host project's rule makes of dissent_marts, with the target's schema before it if the host has no rule of its own: the
   prefix keeps them apart from a host's own marts. This is named as the implementation that dbt dispatches to and not
   generate_schema_name itself, which would apply to the package's models in a host project too. #}
{% macro default__generate_schema_name(custom_schema_name, node) -%}
    {{ (custom_schema_name or target.schema) | trim | replace('dissent_', '') }}
{%- endmacro %}
