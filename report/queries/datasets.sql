-- One row per data set: what its votes say in one sentence, what the rater filter changes, where it comes from.
with counted as (
    select
        dataset_id,
        panel,
        max(items) as items,
        max(divided_pct) filter (where rule_id = 'any_vote') as any_pct,
        max(divided_pct) filter (where rule_id = 'share_10') as tenth_pct,
        max(divided_pct) filter (where rule_id = 'share_30') as strict_pct
    from threshold_sweep
    group by dataset_id, panel
)

select
    names.dataset_id,
    names.title,
    names.provenance,
    datasets.licence,
    datasets.votes_file,
    datasets.citation,
    strftime(datasets.landed_at, '%-d %B %Y') as landed,
    format(
        'Of {:,} {}s, {} % have at least one dissenting vote; {} % have a second label with a tenth of the votes',
        everyone.items, names.unit, decimals(everyone.any_pct, 1), decimals(everyone.tenth_pct, 1)
    ) || case
        when everyone.any_pct = everyone.tenth_pct
            then format(
                ', since so few votes make one of them a tenth. With three tenths of the votes it is {} %.',
                decimals(everyone.strict_pct, 1)
            )
        else '.'
    end as sentence,
    format(
        'Without the {:,} annotators who failed their attention checks: {} % and {} %.',
        dropped_panel.annotators, decimals(attentive.any_pct, 1), decimals(attentive.tenth_pct, 1)
    ) as filtered,
    format('{:,} votes, {:.0f} per {} in the median', panels.votes, panels.median_votes_per_item, names.unit)
    || case when panels.annotators is null then '; annotators not named' else format('; {:,} annotators', panels.annotators) end
    as size,
    case
        when names.provenance = 'unverified'
            then 'The file that landed is not the declared one, or none is declared: figures from it are unverified, and figures about single annotators are no finding.'
                || case
                    when checks.cells_differing = 0
                        then format(
                            ' Its counts for the panel {} equal the published counts in all {:,} cells.',
                            checks.panel, checks.cells
                        )
                    when checks.cells_differing > 0
                        then format(
                            ' Its counts for the panel {} differ from the published counts in {:,} of {:,} cells.',
                            checks.panel, checks.cells_differing, checks.cells
                        )
                    else ''
                end
        when names.provenance = 'generated'
            then 'Made by a seeded generator to test the tables: no person cast these votes.'
    end as caution
from dataset_names as names
inner join dataset_provenance as datasets on names.dataset_id = datasets.dataset_id
left join counted as everyone on names.dataset_id = everyone.dataset_id and everyone.panel = 'all'
left join counted as attentive on names.dataset_id = attentive.dataset_id and attentive.panel = 'attentive'
left join panels on names.dataset_id = panels.dataset_id and panels.panel = 'all'
left join panels as dropped_panel
    on names.dataset_id = dropped_panel.dataset_id and dropped_panel.panel = 'dropped'
left join published_count_check as checks on names.dataset_id = checks.dataset_id
order by names.dataset_order
