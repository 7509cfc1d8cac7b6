-- Which data set disagrees more, once the number of votes per item no longer decides?
select
    panels.dataset_id,
    panels.panel,
    panels.median_votes_per_item,
    sweep.divided_pct as any_vote_pct,
    panels.mean_normalised_entropy,
    panels.mean_pairwise_disagreement,
    rank() over (order by panels.mean_pairwise_disagreement desc) as rank_by_pairwise_disagreement,
    rank() over (order by sweep.divided_pct desc) as rank_by_any_vote,
    panels.provenance
from {{ ref('dissent', 'panels') }} as panels
inner join {{ ref('dissent', 'threshold_sweep') }} as sweep
    on panels.dataset_id = sweep.dataset_id
    and panels.panel = sweep.panel
    and sweep.rule_id = 'any_vote'
where panels.panel in ('all', 'attentive')
order by panels.mean_pairwise_disagreement desc
