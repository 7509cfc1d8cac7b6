{# The columns together are unique and none is NULL; returns the keys that break it, in one query. #}
{% test primary_key(model, columns) %}
select
    {{ columns | join(', ') }},
    count(*) as copies
from {{ dissent.tested_relation(model) }}
group by {{ columns | join(', ') }}
having count(*) > 1 or {% for column in columns %}{{ column }} is null{% if not loop.last %} or {% endif %}{% endfor %}
{% endtest %}
