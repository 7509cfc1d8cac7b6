{# True labels from a file of their own, a row an item. Arguments: macros/_macros.yml. #}
{% macro true_labels_from(relation, label, item, gold_items=false) %}
select distinct
    {{ item_key(item) }} as item_id,
    {{ adapter.quote(label) }} as true_label,
    {{ 'true' if gold_items else 'false' }} as is_gold_item
from {{ relation }}
where {{ adapter.quote(label) }} != ''
{% endmacro %}
