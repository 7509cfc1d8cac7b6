{# Every row of the relation the model was made from is there, in `cells` rows of the model where that is given.
   Returns the rows that aren't, in one query. #}
{% test no_row_lost(model, relation, cells=none) %}
with

made as (

    select
        file_row,
        count(*) as cells
    from {{ dissent.tested_relation(model) }}
    group by file_row

)

select
    source_rows.file_row,
    made.cells
from {{ relation }} as source_rows
left join made
    on source_rows.file_row = made.file_row
where made.cells is null{% if cells %} or made.cells != {{ cells }}{% endif %}
{% endtest %}
