{# A folder's schema is used as it is named (staging, intermediate, marts), without the target's prefix.
   It applies where dissent is the root project; as a package, the host project's own rule does. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ (custom_schema_name or target.schema) | trim }}
{%- endmacro %}
