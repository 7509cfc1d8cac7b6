"""Votes in any number, straight to Parquet: DuckDB computes each row from its number, so nothing is kept in memory.

Four data sets with different numbers of labels. Annotators differ in activity by Zipf's law (in Mandelbrot's form, or
the busiest would vote on an item again and again), some are inattentive and fail their attention checks, a fifth of the
items have a true second label, and rows come in no useful order.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from duckdb import DuckDBPyConnection

# Items come in pairs that share 62 votes, 2 to 60 of them on the first: a row's item follows from its number.
VOTES_A_PAIR = 62
VOTES_AN_ANNOTATOR = 400
# The busiest annotator votes ln(1 + 1 / 10) / ln(1 + annotators / 10) of all votes.
OFFSET = 10
CHECKS_AN_ANNOTATOR = 10
# A prime beyond every size here: multiplying by it modulo the size visits each row once, far from the one before.
STRIDE = 2_654_435_761


@dataclass(frozen=True)
class Generated:
    """One generated data set: its labels, and its share of the votes in per cent."""

    labels: int
    share_pct: int

    @property
    def dataset_id(self) -> str:
        """Name of the data set."""
        return f"generated_{self.labels}"


DATASETS = (Generated(2, 10), Generated(10, 50), Generated(100, 25), Generated(1000, 15))


def _chance(*columns: str) -> str:
    """SQL of a number from 0 to below 1 that depends on nothing but the columns."""
    return f"((hash({', '.join(columns)}) >> 11) / 9007199254740992.0)"


IS_INATTENTIVE = f"{_chance('annotator', '0')} < 0.08"


def _votes(dataset: Generated, rows: int, annotators: int) -> str:
    labels = dataset.labels
    return f"""
        with placed as (
            select
                i as vote_id,
                (i * {STRIDE}) % {rows} as place,
                place // {VOTES_A_PAIR} as pair,
                (2 + hash(pair, 1) % 59)::bigint as first_votes,
                place % {VOTES_A_PAIR} >= first_votes as is_second,
                2 * pair + is_second::bigint as item,
                -- The item's votes draw from parts of the annotators that don't overlap: few vote on it twice.
                place % {VOTES_A_PAIR} + {_chance("i", "2")} as drawn,
                case
                    when is_second then (drawn - first_votes) / ({VOTES_A_PAIR} - first_votes)
                    else drawn / first_votes
                end as quantile,
                1 + floor({OFFSET} * (pow(1 + {annotators} / {OFFSET}, quantile) - 1))::bigint as annotator
            from range({rows}) as numbers(i)
        ),
        chosen as (
            select
                *,
                hash(item, 3) % {labels} as true_number,
                case
                    when {IS_INATTENTIVE} and {_chance("vote_id", "4")} < 0.75 then hash(vote_id, 5) % {labels}
                    when hash(item, 6) % 5 = 0 and {_chance("vote_id", "7")} < 0.1 + 0.4 * {_chance("item", "8")}
                        then (true_number + 1 + hash(item, 9) % {labels - 1}) % {labels}
                    when {_chance("vote_id", "10")} < 0.02 then hash(vote_id, 5) % {labels}
                    else true_number
                end as number
            from placed
        )
        select
            '{dataset.dataset_id}' as dataset_id,
            vote_id,
            'item' || item as item_id,
            'annotator' || annotator as annotator_id,
            'label' || lpad(number::varchar, 3, '0') as label,
            1::bigint as weight,
            'label' || lpad(true_number::varchar, 3, '0') as true_label,
            (300 + hash(vote_id, 11) % 3000)::bigint as reaction_time_ms
        from chosen
    """


def _checks(dataset: Generated, annotators: int) -> str:
    return f"""
        select
            '{dataset.dataset_id}' as dataset_id,
            i as check_id,
            'annotator' || annotator as annotator_id,
            {_chance("i", "12")} < case when {IS_INATTENTIVE} then 0.4 else 0.97 end as is_passed
        from (
            select i, 1 + i // {CHECKS_AN_ANNOTATOR} as annotator
            from range({annotators * CHECKS_AN_ANNOTATOR}) as numbers(i)
        )
    """


def write_votes(connection: DuckDBPyConnection, votes: int, folder: Path) -> None:
    """Write about `votes` votes to `folder`/int_votes and their attention checks to `folder`/int_attention_checks."""
    for name in ("int_votes", "int_attention_checks"):
        (folder / name).mkdir(parents=True)
    connection.execute("set preserve_insertion_order = false")
    for dataset in DATASETS:
        rows = max(1, votes * dataset.share_pct // 100 // VOTES_A_PAIR) * VOTES_A_PAIR
        annotators = max(50, rows // VOTES_AN_ANNOTATOR)
        for name, sql in (
            ("int_votes", _votes(dataset, rows, annotators)),
            ("int_attention_checks", _checks(dataset, annotators)),
        ):
            connection.execute(f"copy ({sql}) to '{folder / name / dataset.dataset_id}.parquet' (compression zstd)")
