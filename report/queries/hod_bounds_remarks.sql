-- What the bounds assume, whose models the exact values are, and what could not be bounded.
with said as (
    select
        1 as remark_order,
        'The bounds of '
        || string_agg(
            distinct names.dataset || ', ' || bounds.panel, ' and ' order by names.dataset || ', ' || bounds.panel
        )
        || ' rest on ' || bounds.source || '; assumption: ' || bounds.assumption || '.' as remark
    from hod_bounds as bounds
    inner join dataset_names as names on bounds.dataset_id = names.dataset_id
    where bounds.hod_lower_pct is not null and bounds.panel != 'dropped'
    group by bounds.source, bounds.assumption
    union all
    select distinct
        2,
        names.dataset || ': exact values for model set ' || exact.model_set || ' (' || exact.models || ' models)'
        || case exact.model_set when 'paper' then '.' else ', not for the models behind the published cells.' end
    from profile_sweep as exact
    inner join dataset_names as names on exact.dataset_id = names.dataset_id
    union all
    select
        3,
        'No bounds, because ' || reasons.reason || ': '
        || string_agg(reasons.dataset, '; ' order by reasons.dataset_order) || '.'
    from (
        select distinct bounds.reason, names.dataset, names.dataset_order
        from hod_bounds as bounds
        inner join dataset_names as names on bounds.dataset_id = names.dataset_id
        where bounds.reason is not null and bounds.panel != 'dropped'
    ) as reasons
    group by reasons.reason
    union all
    select 4, 'No model outputs have landed: there are no exact values.'
    where not exists (select 1 from profile_sweep)
)

select remark from said order by remark_order, remark
