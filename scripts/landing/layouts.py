"""What each declared file looks like: its shape, and the numbers its content is judged by.

Imported even where nothing has to land: standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Shape(Enum):
    """How the bytes of a file are laid out; `readers` holds one function for each."""

    TRIALS_ZIP = "a zip archive with one csv file, a row per trial"
    TRIALS_CSV = "a csv file, a row per trial"
    COUNTS_NPY = "a numpy array of votes, items x labels"
    FERPLUS_CSV = "the csv file of FER+, a row per image"


@dataclass(frozen=True)
class Layout:
    """Shape of a file and the figures its content must have (`$PARAMETER`s of the suites in `expectations/`)."""

    shape: Shape
    parameters: Mapping[str, int]
    # Bytes that unpacking may produce at most: an archive that says or yields more is refused.
    max_unpacked: int = 0
    is_generated: bool = False


def trial_parameters(items: int, annotators: int, trials: int = 210, attention_checks: int = 10) -> dict[str, int]:
    """Parameters of a file with a row per trial; every annotator has the same number of trials and checks."""
    return {
        "items": items,
        "last_item": items - 1,
        "annotators": annotators,
        "trials": trials,
        "attention_checks": attention_checks,
        "rows": annotators * trials,
    }


def count_parameters(items: int, votes: int, labels: int = 10) -> dict[str, int]:
    """Parameters of an array of votes."""
    return {"items": items, "last_item": items - 1, "labels": labels, "votes": votes}


LAYOUTS: Mapping[str, Layout] = {
    "cifar10h-raw.zip": Layout(
        Shape.TRIALS_ZIP, trial_parameters(items=10_000, annotators=2_571), max_unpacked=256 * 1024 * 1024
    ),
    "cifar10h-counts.npy": Layout(Shape.COUNTS_NPY, count_parameters(items=10_000, votes=511_000)),
    "fer2013new.csv": Layout(
        Shape.FERPLUS_CSV, {"training": 28_709, "public_test": 3_589, "private_test": 3_589, "raters": 10}
    ),
    "demo-raw.csv": Layout(Shape.TRIALS_CSV, trial_parameters(items=400, annotators=100), is_generated=True),
}
