"""A small version of `make coverage`: the 95 % intervals cover the truth about as often as they say."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest
from conftest import Build

from scripts.bench.models import Manifest
from scripts.coverage import agreement_coverage, wilson_bounds, wilson_coverage


def test_wilson_covers_what_it_says_on_average() -> None:
    with duckdb.connect() as connection:
        rows = wilson_coverage(connection, draws=400)
    for trials in {row[0] for row in rows}:
        covered = [share for count, _, share in rows if count == trials]
        # Four standard errors of the mean of nine cells of 400 draws around 95 %; ten trials are too few to be exact.
        assert abs(np.mean(covered) - 0.95) < (0.02 if trials > 10 else 0.03)


def test_wilson_by_its_formula() -> None:
    z, n = 1.959963984540054, 10
    with duckdb.connect() as connection:
        bounds = wilson_bounds(connection, n)
    for k in range(n + 1):
        p = k / n
        centre, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        expected = np.clip(np.array([centre - half, centre + half]) / (1 + z * z / n), 0, 1)
        np.testing.assert_allclose(bounds[k], expected, atol=1e-12)


@pytest.mark.slow
def test_the_jackknife_covers_what_it_says(built: Build, tmp_path: Path) -> None:
    manifest = Manifest(built.folder / "target" / "manifest.json")
    folder = tmp_path
    for concentration, measure, _, share in agreement_coverage(manifest, folder, draws=150):
        # Four standard errors below 95 % with 150 draws, and the jackknife is a little narrow on 100 items.
        assert share > 0.86, (concentration, measure)
