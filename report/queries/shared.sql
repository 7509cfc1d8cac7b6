-- Names and number formats that every query shares. Temporary: nothing is written to the published database.
-- Rounded half up, as people do: 64.35 is 64.4, though its binary fraction lies just below.
create temp macro decimals(x, n) as format('{:.{}f}', x + 1e-9, n);

create temp view dataset_names as
select
    datasets.dataset_id,
    datasets.title,
    coalesce(datasets.unit, 'item') as unit,
    datasets.provenance,
    -- What isn't verified is said wherever the data set is named; a generated one says so in its title.
    datasets.title || case datasets.provenance
        when 'verified' then ''
        when 'generated' then case when contains(datasets.title, 'generated') then '' else ' (generated)' end
        else ' (' || datasets.provenance || ')'
    end as dataset,
    row_number() over (order by datasets.sort_order, datasets.dataset_id) as dataset_order
from dataset_provenance as datasets;

create temp view rule_names as
select
    thresholds.rule_id,
    thresholds.basis,
    thresholds.sort_order as rule_order,
    case
        when thresholds.min_share_pct > 0 and thresholds.min_votes > 1
            then thresholds.min_votes || ' votes and ' || thresholds.min_share_pct || ' %'
        when thresholds.min_share_pct > 0 then thresholds.min_share_pct || case when thresholds.drop_single_votes then ' %' else ' % of votes' end
        when thresholds.min_votes = 1 then 'any vote'
        else thresholds.min_votes || ' votes'
    end || case when thresholds.drop_single_votes then ' without single votes' else '' end as rule,
    -- Counts and shares are two scales: a line must not run from one to the other.
    case
        when thresholds.drop_single_votes then 'removal'
        when thresholds.min_share_pct > 0 then 'share'
        else 'count'
    end as rule_scale,
    case thresholds.basis when 'off_top' then 'All votes off the majority label' else 'Votes for the second label' end
        as basis_name,
    case thresholds.basis when 'off_top' then 2 else 1 end as basis_order
from thresholds;

-- The panel that a data set's own rater filter keeps; all, where it has none.
create temp view lead_panels as
select
    dataset_id,
    case when bool_or(panel = 'attentive') then 'attentive' else 'all' end as panel
from panels
group by dataset_id;

-- The strict rule a data set is shown under: a tenth of the votes, or, where a single vote is a tenth, 30 per cent.
create temp view strict_rules as
select
    any_vote.dataset_id,
    case when tenth.divided < any_vote.divided then 'share_10' else 'share_30' end as rule_id
from threshold_sweep as any_vote
inner join threshold_sweep as tenth
    on
        any_vote.dataset_id = tenth.dataset_id
        and any_vote.panel = tenth.panel
        and tenth.rule_id = 'share_10'
where any_vote.rule_id = 'any_vote' and any_vote.panel = 'all';
