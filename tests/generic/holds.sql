{# Every row meets every condition; NULL counts as broken. Returns the rows that break one, in one query. #}
{% test holds(model, conditions) %}
select *
from {{ dissent.tested_relation(model) }}
where not coalesce(
    {% for condition in conditions %}({{ condition }}){% if not loop.last %} and {% endif %}{% endfor %},
    false
)
{% endtest %}
