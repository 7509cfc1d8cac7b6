-- Data sets without votes, in one sentence.
select 'Not shown, because their votes have not landed: ' || string_agg(title, '; ' order by dataset_order) || '.' as remark
from dataset_names
where provenance = 'not landed'
having count(*) > 0
