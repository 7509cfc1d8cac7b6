"""`make bench`: the models' SQL against numpy/pandas, polars and a script written by hand, in one run.

On the landed votes every model is replayed in one plain connection. On landed and generated votes the contenders make
the same tables from the same Parquet and leave them on disk; results are compared as well as times. Processor time is
shown because it stays meaningful on a machine that others use too.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import duckdb

from scripts.bench import entries as entry_files
from scripts.bench.compare import TABLES, first_difference
from scripts.bench.contenders import CONTENDERS, Result, run
from scripts.bench.models import DATABASE, Cost, Manifest, compile_project, connect, replay
from scripts.paths import work_database

GOAL_SECONDS = 3.0
SLOWEST = 6
# Small runs are quick and noisy: the best of several counts.
RUNS, RUNS_BELOW = 3, 20_000_000
# The counts, the items and the sweeps; the shares are one more way to write the counts.
COMPARED = tuple(name for name in TABLES if name != "vote_shares")
# (contender, what is compared, the most that the models may take of it)
GOALS = (
    ("numpy/pandas", "seconds", 0.25),
    ("numpy/pandas", "memory", 0.25),
    ("polars", "seconds", 1.0),
    ("DuckDB by hand", "seconds", 2.0),
)


def landed(folder: Path, manifest: Manifest, work: Path) -> None:
    """Replay every model on the landed votes, then compare with numpy/pandas on their entries."""
    folder.mkdir()
    best: list[Cost] = []
    with connect(folder) as connection:
        manifest.create_inputs(connection)
        connection.execute(f"attach '{work}' as landed (read_only)")
        # What was never landed has no table there before the first build.
        there = connection.execute(
            "select schema_name, table_name from duckdb_tables() where database_name = 'landed'"
        ).fetchall()
        for table in sorted({f'"{schema}"."{name}"' for schema, name in there} & set(manifest.raw_tables())):
            connection.execute(f"insert into {table} by name from landed.{table}")
        connection.execute("detach landed")
        for _ in range(RUNS):
            costs = list(replay(connection, manifest.models()))
            best = min(best or costs, costs, key=lambda run: sum(cost.seconds for cost in run))
        entry_files.write(connection, manifest, folder / "entries")
        votes = connection.execute(f"select count(*) from {manifest.relation('int_votes')}").fetchone()
        assert votes is not None
    total = sum(cost.seconds for cost in best)
    print(f"\nlanded votes, {votes[0]:,} by annotator: {len(best)} models in {total:.2f} s, best of {RUNS} runs")
    print(f"  {_verdict(total <= GOAL_SECONDS)} at most {GOAL_SECONDS:.0f} s; the slowest:")
    for cost in sorted(best, key=lambda cost: -cost.seconds)[:SLOWEST]:
        print(f"  {cost.name:<28}{cost.seconds:>7.2f} s {cost.rows:>12,} rows")
    contend(folder, ("models", "numpy/pandas"), tuple(TABLES), RUNS, "landed votes", goals=False)


def generated(folder: Path, manifest: Manifest, votes: int) -> None:
    """Compare all contenders on generated votes."""
    folder.mkdir()
    with connect(folder) as connection:
        manifest.create_inputs(connection)
        entry_files.generate(connection, manifest, votes, folder / "entries")
    (folder / DATABASE).unlink()
    runs = RUNS if votes < RUNS_BELOW else 1
    contend(folder, tuple(CONTENDERS), COMPARED, runs, f"{votes:,} generated votes", goals=True)


def contend(
    folder: Path, names: tuple[str, ...], tables: tuple[str, ...], runs: int, title: str, *, goals: bool
) -> None:
    """Run the contenders one after the other, check that their tables are equal, print times and memory."""
    results: dict[str, Result] = {}
    print(f"\n{title}: the same {len(tables)} tables from the same Parquet, best of {runs}", flush=True)
    print(f"  {'':<16}{'seconds':>9}{'models take':>13}{'CPU s':>8}{'peak MB':>10}{'models take':>13}", flush=True)
    for name in names:
        results[name] = run(name, folder / "entries", folder / _slug(name), tables, runs)
        result, models = results[name], results["models"]
        print(
            f"  {name:<16}{result.seconds:>9.2f}{models.seconds / result.seconds:>12.2f}x{result.cpu_seconds:>8.1f}"
            f"{result.memory / 1e6:>10,.0f}{models.memory / result.memory:>12.2f}x",
            flush=True,
        )
        if name != "models":
            _check_equal(folder, name, tables)
            shutil.rmtree(folder / _slug(name))
    print("  all results are equal")
    for name, what, most in GOALS if goals else ():
        ratio = getattr(results["models"], what) / getattr(results[name], what)
        print(f"  {_verdict(ratio <= most)} at most {most:g} of the {what} of {name}: {ratio:.2f}")


def _check_equal(folder: Path, name: str, tables: tuple[str, ...]) -> None:
    (folder / "compare").mkdir(exist_ok=True)
    with connect(folder / "compare") as connection:
        for table in tables:
            left, right = (f"'{folder / who}/{table}.parquet'" for who in ("models", _slug(name)))
            difference = first_difference(connection, table, left, right)
            if difference:
                raise SystemExit(f"the models and {name} differ: {difference}")
    shutil.rmtree(folder / "compare")


def _slug(name: str) -> str:
    return name.replace("/", "_").replace(" ", "_")


def _verdict(reached: bool) -> str:
    return "goal reached:" if reached else "goal MISSED: "


def main(arguments: list[str] | None = None) -> int:
    """Command line of `make bench`."""
    parser = argparse.ArgumentParser(prog="python -m scripts.bench", description=__doc__)
    parser.add_argument("--votes", default="5000000", help="numbers of generated votes, comma-separated (%(default)s)")
    parser.add_argument(
        "--work", type=Path, default=work_database(), help="work database with the landed votes (%(default)s)"
    )
    options = parser.parse_args(arguments)
    if (load := os.getloadavg()[0]) > 1:
        print(f"others work on this machine (load {load:.1f}): compare processor times, wall times say little")
    with tempfile.TemporaryDirectory(prefix="dissent-bench-") as made:
        folder = Path(made)
        manifest = compile_project(folder)
        if options.work.exists():
            landed(folder / "landed", manifest, options.work)
        else:
            print(f"no landed votes in {options.work.name}: run make land first; generated votes only")
        for votes in [int(number) for number in options.votes.split(",") if number]:
            generated(folder / str(votes), manifest, votes)
            shutil.rmtree(folder / str(votes))
    return 0


if __name__ == "__main__":
    # Temporary files go even when the command is told to stop.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except duckdb.IOException as error:
        sys.exit(f"the work database can't be read, is a build running? {error}")
