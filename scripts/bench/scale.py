"""`make scale N=...`: all models on N generated votes: seconds, rows and memory of each, and how cost grows with N."""

from __future__ import annotations

import argparse
import math
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from scripts.bench import entries as entry_files
from scripts.bench.contenders import peak_memory
from scripts.bench.models import MEMORY_LIMIT, THREADS, Cost, Manifest, compile_project, connect, replay

MOST_EXPONENT = 1.1
MOST_FOR_MEASURES = 1.0
# Where the aim for the measures holds; below it, what does not depend on the number of votes weighs more.
VOTES_FOR_MEASURES = 50_000_000
# What takes less processor time than this says nothing about growth.
LEAST_CPU_SECONDS = 0.05
PANELS = 3
# The tables an audit can't do without; every other model is a measure, an explanation or a check built on them.
BASE = (
    "votes",
    "vote_counts",
    "vote_shares",
    "items",
    "annotator_attention",
    "threshold_sweep",
    "threshold_sweep_by_label",
)


def build(folder: Path, manifest: Manifest, votes: int) -> list[Cost]:
    """Generate the votes, build every model on them and print what each took."""
    folder.mkdir()
    with connect(folder) as connection:
        manifest.create_inputs(connection)
        entry_files.generate(connection, manifest, votes, folder / "entries")
        print(f"\n{votes:,} votes on {THREADS} cores, DuckDB within {MEMORY_LIMIT}")
        print(f"  {'':<28}{'seconds':>9}{'CPU s':>9}{'rows':>15}{'peak MB':>10}{'spilled MB':>12}", flush=True)
        replaced = {name: entry_files.parquet(folder / "entries", name) for name in entry_files.VIEWS}
        costs = []
        for cost in replay(connection, manifest.models(), replaced):
            costs.append(cost)
            if cost.cpu_seconds >= LEAST_CPU_SECONDS:
                print(f"  {_row(cost)}", flush=True)
    return costs


def _row(cost: Cost) -> str:
    times = f"{cost.seconds:>9.2f}{cost.cpu_seconds:>9.2f}"
    memory = f"{cost.memory / 1e6:>10,.0f}{cost.spilled / 1e6:>12,.0f}"
    return f"{cost.name:<28}{times}{cost.rows:>15,}{memory}"


def total(costs: list[Cost]) -> Cost:
    """The sum of the models' times, and the most memory one of them held."""
    return Cost(
        "all models",
        sum(cost.seconds for cost in costs),
        sum(cost.cpu_seconds for cost in costs),
        sum(cost.rows for cost in costs),
        max(cost.memory for cost in costs),
        sum(cost.spilled for cost in costs),
    )


def base_and_measures(manifest: Manifest, costs: list[Cost]) -> tuple[Cost, Cost]:
    """The sums over the base tables with all that they are built from, and over the rest."""
    base = {model.name for model in manifest.models(BASE)}
    return total([cost for cost in costs if cost.name in base]), total(
        [cost for cost in costs if cost.name not in base]
    )


def measures_verdict(votes: int, base: float, measures: float) -> str:
    """A sentence on the measures' processor seconds beside those of the base tables, judged where the aim holds."""
    ratio = measures / base
    verdict = "goal reached: " if ratio <= MOST_FOR_MEASURES else "goal MISSED: "
    return (
        f"{verdict if votes >= VOTES_FOR_MEASURES else ''}the measures take {ratio:.2f} of the processor time of the"
        f" base tables ({base:.1f} s); the aim from {VOTES_FOR_MEASURES:,} votes on is at most {MOST_FOR_MEASURES:g}"
    )


def exponent(sizes: list[int], costs: list[float]) -> float:
    """Slope of log cost over log size, by least squares: 1 is linear."""
    x, y = [math.log(size) for size in sizes], [math.log(cost) for cost in costs]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)


def main(arguments: list[str] | None = None) -> int:
    """Command line of `make scale`."""
    parser = argparse.ArgumentParser(prog="python -m scripts.bench.scale", description=__doc__)
    parser.add_argument("votes", help="numbers of votes, comma-separated, for example 1000000,10000000,100000000")
    sizes = sorted(int(number) for number in parser.parse_args(arguments).votes.split(","))
    runs: list[list[Cost]] = []
    with tempfile.TemporaryDirectory(prefix="dissent-scale-") as made:
        folder = Path(made)
        manifest = compile_project(folder)
        for votes in sizes:
            costs = build(folder / str(votes), manifest, votes)
            shutil.rmtree(folder / str(votes))
            runs.append(costs)
            print(f"  {_row(total(costs))}")
            print(f"  peak memory of the whole process so far: {peak_memory() / 1e6:,.0f} MB")
            base, measures = base_and_measures(manifest, costs)
            print(f"  {measures_verdict(votes, base.cpu_seconds, measures.cpu_seconds)}")
            longest = max(costs, key=lambda cost: cost.rows)
            verdict = "none is votes x rules" if longest.rows <= PANELS * votes else "MORE THAN VOTES x PANELS"
            print(f"  longest table: {longest.name}, {longest.rows / votes:.2f} rows a vote ({verdict})", flush=True)
    if len(sizes) > 1:
        seconds, processor = ([getattr(total(run), what) for run in runs] for what in ("seconds", "cpu_seconds"))
        steps = [
            (exponent(sizes[-2:], [before.cpu_seconds, after.cpu_seconds]), after.name)
            for before, after in zip(runs[-2], runs[-1], strict=True)
            if before.cpu_seconds >= LEAST_CPU_SECONDS
        ]
        grown = exponent(sizes, processor)
        print(f"\ncost grows as votes ^ {grown:.2f} in processor time, ^ {exponent(sizes, seconds):.2f} in wall time")
        print(f"  {'goal reached:' if grown <= MOST_EXPONENT else 'goal MISSED: '} at most {MOST_EXPONENT}")
        if steps:
            steepest, name = max(steps)
            print(f"  steepest model over the last step: {name}, ^ {steepest:.2f}")
    return 0


if __name__ == "__main__":
    # Temporary files go even when the command is told to stop.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
