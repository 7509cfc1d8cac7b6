"""How often the 95 % intervals cover the truth, on generated panels: `make coverage` (DRAWS=2000).

The intervals are those of the project's own SQL: the macro wilson_pct, and the compiled model `agreement`, replayed on
all draws at once. An interval that cannot reach 95 %, because few trials have few outcomes, is marked.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

import duckdb
import numpy as np
from jinja2 import Environment

from scripts.bench.models import PROJECT, Manifest, compile_project, replay

PROBABILITIES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.95)
# Trials of a Wilson interval: attention checks of one annotator, items of a small class, items of a data set.
TRIALS = {10: "attention checks of one annotator", 100: "items of a small class", 3573: "items of a data set"}
ITEMS, VOTES, LABELS = 100, 5, 3
# How much items differ: the concentration of the label shares they are drawn with; small is contested or clear.
CONCENTRATIONS = (0.3, 1.0, 3.0)


def wilson_bounds(connection: duckdb.DuckDBPyConnection, trials: int) -> np.ndarray:
    """Bounds for 0 ... trials successes, trials + 1 x 2, from 0 to 1, by the macro's own SQL."""
    text = (PROJECT / "macros" / "wilson_pct.sql").read_text(encoding="utf-8")
    module = Environment().from_string(re.sub(r"\{#.*?#\}", "", text, flags=re.S)).module
    macro = vars(module)["wilson_pct"]
    low, high = (macro("successes", "trials", side) for side in ("low", "high"))
    rows = connection.execute(
        f"select {low} / 100, {high} / 100 from ("
        f" select range as successes, {trials} as trials from range({trials} + 1)) order by successes"
    ).fetchall()
    return np.array(rows, dtype=float)


def wilson_coverage(connection: duckdb.DuckDBPyConnection, draws: int, seed: int = 1) -> list[tuple[int, float, float]]:
    """(trials, probability, share of draws whose interval covers it)."""
    generator = np.random.default_rng(seed)
    result = []
    for trials in TRIALS:
        bounds = wilson_bounds(connection, trials)
        for p in PROBABILITIES:
            low, high = bounds[generator.binomial(trials, p, draws)].T
            result.append((trials, p, float(((low <= p) & (p <= high)).mean())))
    return result


def panel(generator: np.random.Generator, items: int, concentration: float) -> np.ndarray:
    """Votes, items x labels: each item has label shares of its own, skewed towards the first label."""
    shares = generator.dirichlet(concentration * np.array([3.0, 2.0, 1.0]), items)
    return generator.multinomial(VOTES, shares)


def coefficients(counts: np.ndarray) -> dict[str, float]:
    """Observed agreement and alpha of a large panel: the truth the intervals are about."""
    n, items = VOTES, len(counts)
    observed = float(((counts**2).sum() - items * n) / (items * n * (n - 1)))
    total, labels = items * n, counts.sum(axis=0)
    expected = float((total**2 - (labels**2).sum()) / (total * (total - 1)))
    return {"observed_agreement": observed, "krippendorff_alpha": 1 - (1 - observed) / expected}


def agreement_coverage(
    manifest: Manifest, folder: Path, draws: int, seed: int = 2
) -> list[tuple[float, str, float, float]]:
    """(concentration, coefficient, truth, share of draws whose jackknife interval covers it)."""
    result = []
    # Compiled SQL names its database, and DuckDB names a database after its file.
    database = folder / (manifest.relation("agreement").split('"')[1] + ".duckdb")
    for concentration in CONCENTRATIONS:
        generator = np.random.default_rng(seed)
        truth = coefficients(panel(generator, 2_000_000, concentration))
        counts = np.stack([panel(generator, ITEMS, concentration) for _ in range(draws)])
        draw, item, label = np.nonzero(counts)
        cells = {"draw": draw, "item": item, "label": label, "votes": counts[draw, item, label]}
        database.unlink(missing_ok=True)
        with duckdb.connect(str(database)) as connection:
            connection.execute("pragma enable_profiling = 'no_output'")  # replay reads what each model took
            manifest.create_inputs(connection)
            connection.register("cells", cells)
            connection.execute(
                "create table drawn as select 'draw_' || draw as dataset_id, 'i' || item as item_id,"
                " 'l' || label as label, cast(votes as bigint) as votes from cells"
            )
            for _ in replay(
                connection,
                manifest.models({"agreement"}),
                {"int_label_counts": "select *, cast(null as varchar) as true_label from main.drawn"},
            ):
                pass
            for name, value in truth.items():
                covered = connection.execute(
                    f"select avg(cast({value} between {name}_low and {name}_high as int)) from marts.agreement"
                    " where dataset_id like 'draw_%'"
                ).fetchone()
                assert covered is not None
                result.append((concentration, name, value, float(covered[0])))
    return result


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2_000, help="panels drawn for each row (default: 2000)")
    arguments = parser.parse_args()
    with duckdb.connect() as connection:
        rows = wilson_coverage(connection, arguments.draws)
    print(f"Wilson 95 % interval of a share, {arguments.draws} draws a cell\n")
    print("trials  " + "".join(f"{p:>8}" for p in PROBABILITIES) + "    mean")
    for trials, what in TRIALS.items():
        covered = [share for count, _, share in rows if count == trials]
        cells = "".join(f"{share:>8.3f}" for share in covered)
        discrete = "; cannot be 95 % throughout: so few trials have so few outcomes" if trials <= 10 else ""
        print(f"{trials:<8}{cells}{np.mean(covered):>8.3f}  {what}{discrete}")
    print(
        f"\njackknife 95 % interval, {ITEMS} items of {VOTES} votes on {LABELS} labels,"
        f" {arguments.draws} panels a row\n"
    )
    with tempfile.TemporaryDirectory(prefix="dissent-coverage-") as name:
        print(f"{'items differ by':<18}{'measure':<22}{'truth':>8}{'covered':>9}")
        for concentration, measure, truth, share in agreement_coverage(
            compile_project(Path(name)), Path(name), arguments.draws
        ):
            print(f"{concentration:<18}{measure:<22}{truth:>8.4f}{share:>9.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
