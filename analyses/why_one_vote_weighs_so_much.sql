-- Why does one dissenting vote carry so much weight: how many votes do divided items rest on?
select
    distribution.dataset_id,
    distribution.panel,
    distribution.dissenting_votes,
    distribution.items,
    distribution.items_pct,
    100.0 * distribution.items / sweep.divided as pct_of_divided,
    panels.median_votes_per_item,
    distribution.provenance
from {{ ref('dissent', 'dissent_distribution') }} as distribution
inner join {{ ref('dissent', 'threshold_sweep') }} as sweep
    on distribution.dataset_id = sweep.dataset_id
    and distribution.panel = sweep.panel
    and sweep.rule_id = 'any_vote'
inner join {{ ref('dissent', 'panels') }} as panels
    on distribution.dataset_id = panels.dataset_id
    and distribution.panel = panels.panel
where distribution.dissenting_votes between 1 and 5 and distribution.panel != 'dropped'
order by distribution.dataset_id, distribution.panel, distribution.dissenting_votes
