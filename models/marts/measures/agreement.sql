{%- set z = '1.959963984540054e0' -%}

with

vote_shares as (

    select * from {{ ref('dissent', 'vote_shares') }}

),

-- Read twice: DuckDB would keep all shares in memory between two uses of one CTE.
vote_shares_again as (

    select * from {{ ref('dissent', 'vote_shares') }}

),

panels as (

    select * from {{ ref('dissent', 'panels') }}
    where items > 0

),

label_sets as (

    select
        dataset_id,
        max(labels) as labels
    from {{ ref('dissent', 'int_labels') }}
    group by dataset_id

),

-- Alpha counts the votes of items that can be compared; kappa and AC1 average the shares of all items with votes.
label_totals as (

    select
        dataset_id,
        panel,
        label,
        cast(coalesce(sum(votes) filter (where total_votes >= 2), 0) as bigint) as pairable_votes,
        sum(share) as shares
    from vote_shares
    group by dataset_id, panel, label

),

ranked_labels as (

    select
        *,
        row_number() over (partition by dataset_id, panel order by shares desc, label) as label_rank
    from label_totals

),

panel_totals as (

    select
        dataset_id,
        panel,
        sum(cast(pairable_votes as double) * pairable_votes) as squared_votes,
        sum(shares * shares) as squared_shares,
        max(shares) as top_shares,
        max(label) filter (where label_rank = 1) as top_label
    from ranked_labels
    group by dataset_id, panel

),

-- What one item takes with it when it is left out (n votes on it).
items as (

    select
        shares.dataset_id,
        shares.panel,
        shares.item_id,
        max(shares.total_votes) as n,
        sum(cast(shares.votes as double) * shares.votes) as squares,
        sum(cast(shares.votes as double) * label_totals.pairable_votes) as votes_by_total,
        sum(shares.share * label_totals.shares) as shares_by_total,
        sum(shares.share * shares.share) as share_squares
    from vote_shares_again as shares
    inner join label_totals
        on shares.dataset_id = label_totals.dataset_id
        and shares.panel = label_totals.panel
        and shares.label = label_totals.label
    group by shares.dataset_id, shares.panel, shares.item_id

),

-- Items that are alike in all of these are one row from here on.
alike as (

    select
        dataset_id,
        panel,
        n,
        votes_by_total,
        shares_by_total,
        share_squares,
        squares,
        case when n >= 2 then (cast(n as double) * n - squares) / (n - 1) else 0e0 end as disagreement,
        case when n >= 2 then (squares - n) / (cast(n as double) * (n - 1)) end as agreement,
        count(*) as items
    from items
    group by dataset_id, panel, n, votes_by_total, shares_by_total, share_squares, squares

),

sums as (

    select
        dataset_id,
        panel,
        cast(sum(items) as bigint) as items,
        cast(coalesce(sum(items) filter (where n >= 2), 0) as bigint) as items_used,
        cast(coalesce(sum(items * n) filter (where n >= 2), 0) as double) as votes,
        sum(items * disagreement) as disagreement,
        coalesce(sum(items * agreement), 0) as agreement
    from alike
    group by dataset_id, panel

),

joined as (

    select
        sums.*,
        panel_totals.squared_votes,
        panel_totals.squared_shares,
        panel_totals.top_shares,
        panel_totals.top_label,
        label_sets.labels
    from sums
    inner join panel_totals
        on sums.dataset_id = panel_totals.dataset_id
        and sums.panel = panel_totals.panel
    inner join label_sets
        on sums.dataset_id = label_sets.dataset_id

),

-- The measures on everything, and with one item left out: the same formulas on smaller sums.
cases as (

    select
        joined.dataset_id,
        joined.panel,
        joined.labels,
        cast(null as bigint) as left_out,
        joined.votes,
        joined.disagreement,
        joined.votes * joined.votes - joined.squared_votes as expected_disagreement,
        joined.agreement / nullif(joined.items_used, 0) as observed,
        joined.squared_shares / (cast(joined.items as double) * joined.items) as expected_kappa
    from joined

    union all

    select
        joined.dataset_id,
        joined.panel,
        joined.labels,
        alike.items as left_out,
        joined.votes - case when alike.n >= 2 then alike.n else 0 end as votes,
        joined.disagreement - alike.disagreement as disagreement,
        case
            when alike.n >= 2
                then
                    (joined.votes - alike.n) * (joined.votes - alike.n)
                    - (joined.squared_votes - 2 * alike.votes_by_total + alike.squares)
            else joined.votes * joined.votes - joined.squared_votes
        end as expected_disagreement,
        (joined.agreement - coalesce(alike.agreement, 0))
        / nullif(joined.items_used - case when alike.n >= 2 then 1 else 0 end, 0) as observed,
        (joined.squared_shares - 2 * alike.shares_by_total + alike.share_squares)
        / nullif(cast(joined.items - 1 as double) * (joined.items - 1), 0) as expected_kappa
    from joined
    inner join alike
        on joined.dataset_id = alike.dataset_id
        and joined.panel = alike.panel

),

measured as (

    select
        dataset_id,
        panel,
        left_out,
        observed,
        -- One label in all: chance alone explains everything, and rounding must not divide by its error.
        case when expected_disagreement > 1e-9 * votes then 1 - (votes - 1) * disagreement / expected_disagreement end
            as alpha,
        case when labels > 1 and expected_kappa < 1 - 1e-12 then (observed - expected_kappa) / (1 - expected_kappa) end
            as kappa,
        case
            when labels > 1
                then
                    (observed - (1 - expected_kappa) / (labels - 1)) / (1 - (1 - expected_kappa) / (labels - 1))
        end as ac1
    from cases

),

means as (

    select
        dataset_id,
        panel,
        cast(sum(left_out) as double) as items,
        sum(left_out * observed) / sum(case when observed is not null then left_out end) as observed,
        sum(left_out * alpha) / sum(case when alpha is not null then left_out end) as alpha,
        sum(left_out * kappa) / sum(case when kappa is not null then left_out end) as kappa,
        sum(left_out * ac1) / sum(case when ac1 is not null then left_out end) as ac1
    from measured
    where left_out is not null
    group by dataset_id, panel

),

jackknife as (

    select
        measured.dataset_id,
        measured.panel,
        {{ jackknife_error('observed') }} as se_observed,
        {{ jackknife_error('alpha') }} as se_alpha,
        {{ jackknife_error('kappa') }} as se_kappa,
        {{ jackknife_error('ac1') }} as se_ac1
    from measured
    inner join means
        on measured.dataset_id = means.dataset_id
        and measured.panel = means.panel
    where measured.left_out is not null
    group by measured.dataset_id, measured.panel

)

select
    joined.dataset_id,
    joined.panel,
    joined.items_used,
    measured.observed as observed_agreement,
    measured.observed - {{ z }} * jackknife.se_observed as observed_agreement_low,
    measured.observed + {{ z }} * jackknife.se_observed as observed_agreement_high,
    measured.alpha as krippendorff_alpha,
    measured.alpha - {{ z }} * jackknife.se_alpha as krippendorff_alpha_low,
    measured.alpha + {{ z }} * jackknife.se_alpha as krippendorff_alpha_high,
    measured.kappa as fleiss_kappa,
    measured.kappa - {{ z }} * jackknife.se_kappa as fleiss_kappa_low,
    measured.kappa + {{ z }} * jackknife.se_kappa as fleiss_kappa_high,
    measured.ac1 as gwet_ac1,
    measured.ac1 - {{ z }} * jackknife.se_ac1 as gwet_ac1_low,
    measured.ac1 + {{ z }} * jackknife.se_ac1 as gwet_ac1_high,
    joined.top_label,
    joined.top_shares / joined.items as top_label_share,
    case
        when joined.items_used = 0 then 'no item has two votes'
        when joined.labels < 2 then 'the data set has one label'
        when measured.alpha is null then 'all votes are for one label'
    end as reason,
    case
        when joined.top_shares / joined.items >= 0.75 and measured.ac1 - measured.alpha >= 0.1
            then concat(
                    'most votes are for ',
                    joined.top_label,
                    ': chance agreement is high, which makes alpha and kappa low ',
                    'beside the observed agreement'
                )
    end as prevalence_note,
    panels.provenance
from joined
inner join measured
    on joined.dataset_id = measured.dataset_id
    and joined.panel = measured.panel
    and measured.left_out is null
inner join jackknife
    on joined.dataset_id = jackknife.dataset_id
    and joined.panel = jackknife.panel
inner join panels
    on joined.dataset_id = panels.dataset_id
    and joined.panel = panels.panel
