-- However many of the next votes are hits, one of the numbers it will be. Returns the situations whose chances don't
-- sum to 1, or that lack a number of next votes.
select
    dataset_id,
    panel,
    basis,
    votes,
    hits
from (
    select
        dataset_id,
        panel,
        basis,
        votes,
        hits,
        more_votes,
        sum(weight) as weight
    from {{ ref('dissent', 'int_next_votes') }}
    group by dataset_id, panel, basis, votes, hits, more_votes
) as summed
group by dataset_id, panel, basis, votes, hits
having max(abs(weight - 1)) > 1e-9 or count(*) != 4
