{# The relation that a generic test is about, for tests of this package: dbt hands them ref('items'), without the
   package, and that is the host project's table where it has one of the same name.
   given: the argument `model` of the test, which is right everywhere else. #}
{% macro tested_relation(given) %}
    {% if model.package_name == 'dissent' and model.file_key_name.split('.')[0] in ['models', 'seeds'] %}
        {{ return(get_where_subquery(ref('dissent', model.file_key_name.split('.')[1]))) }}
    {% endif %}
    {{ return(given) }}
{% endmacro %}
