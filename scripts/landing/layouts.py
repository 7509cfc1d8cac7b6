"""What each declared file looks like: its shape, and the numbers its content is judged by.

Vote files are listed here; files of model outputs are described by the seed `model_files.csv` alone.

Imported even where nothing has to land: standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from scripts.landing.declared import PROJECT, SEEDS, LandingError, SourceFile, read_seed


class Shape(Enum):
    """How the bytes of a file are laid out; `readers` holds one function for each."""

    TRIALS_ZIP = "a zip archive with one csv file, a row per trial"
    TRIALS_CSV = "a csv file, a row per trial"
    COUNTS_NPY = "a numpy array of votes, items x labels"
    FERPLUS_CSV = "the csv file of FER+, a row per image"
    PREDICTIONS_LONG = "a csv file, a row per model, item and label"
    TRUTH_COUNTS_PROBABILITIES = "a csv file without a header, a row per item"
    COUNTS_PROBABILITIES_TRUTH = "the same with the true label last and counted from 1"
    BROUGHT = "a file brought by make add, as its dbt source describes it"


@dataclass(frozen=True)
class Layout:
    """Shape of a file and the figures its content must have (`$PARAMETER`s of the suites in `expectations/`)."""

    shape: Shape
    parameters: Mapping[str, int]
    # Bytes that unpacking may produce at most: an archive that says or yields more is refused.
    max_unpacked: int = 0
    is_generated: bool = False
    # Of files of model outputs: the data set, its labels in their order, and the model unless the file names it.
    dataset_id: str = ""
    labels: tuple[str, ...] = ()
    model_id: str = ""


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

# The column `layout` of the seed model_files.csv.
MODEL_LAYOUTS: Mapping[str, Shape] = {
    "long": Shape.PREDICTIONS_LONG,
    "true_label_counts_probabilities": Shape.TRUTH_COUNTS_PROBABILITIES,
    "counts_probabilities_true_label_from_1": Shape.COUNTS_PROBABILITIES_TRUTH,
}


def brought_sources(source: SourceFile) -> Path:
    """Where the dbt source of a brought file is declared; `<data set>__true_labels` shares that of its data set."""
    name = source.raw_table.removesuffix("__true_labels")
    return PROJECT / "models" / "staging" / name / f"_{name}__sources.yml"


def is_brought(source: SourceFile) -> bool:
    """Whether `make add` brought the file."""
    return source.file_name not in LAYOUTS and brought_sources(source).is_file()


def layout_of(source: SourceFile, seeds: Path = SEEDS) -> Layout:
    """The layout of a declared file; raises LandingError where the seeds don't tell it."""
    if source.file_name in LAYOUTS:
        return LAYOUTS[source.file_name]
    if is_brought(source):
        return Layout(Shape.BROUGHT, {})
    if source.raw_table != "model_predictions":
        raise LandingError(
            f"{source.file_name}: seeds/source_files.csv says that it lands in {source.raw_table!r}, and nothing says "
            "how to read it: only files of model outputs, which land in model_predictions, need no code"
        )
    rows = [row for row in read_seed(seeds / "model_files.csv") if row["file_name"] == source.file_name]
    if len(rows) != 1:
        raise LandingError(
            f"{source.file_name}: seeds/model_files.csv has {len(rows)} rows for it: give it one that names its data "
            "set, model set and layout"
        )
    return _model_layout(rows[0], seeds)


def model_layout(shape: Shape, dataset_id: str, labels: tuple[str, ...], model_id: str, items: int | None) -> Layout:
    """Layout of a file of model outputs; `items` is their number where they are called 0, 1, 2 ..."""
    first_label = 1 if shape is Shape.COUNTS_PROBABILITIES_TRUTH else 0
    parameters = {"first_label": first_label, "last_label": first_label + len(labels) - 1}
    if items is not None:
        parameters["items"] = items
    return Layout(shape, parameters, dataset_id=dataset_id, labels=labels, model_id=model_id)


def _model_layout(row: Mapping[str, str], seeds: Path) -> Layout:
    where = f"{row['file_name']}: its row of seeds/model_files.csv"
    shape = MODEL_LAYOUTS.get(row["layout"])
    if shape is None:
        raise LandingError(f"{where} has the layout {row['layout']!r}: write one of {', '.join(MODEL_LAYOUTS)}")
    if not row["model_set"]:
        raise LandingError(f"{where} names no model_set: name the group of models that are judged together")
    if shape is not Shape.PREDICTIONS_LONG and not row["model_id"]:
        raise LandingError(f"{where} names no model_id: name the model, because this layout doesn't")
    dataset_id = row["dataset_id"]
    labels = [
        (int(each["label_order"]), each["label"])
        for each in read_seed(seeds / "labels.csv")
        if each["dataset_id"] == dataset_id
    ]
    if not labels:
        raise LandingError(
            f"{where} names the data set {dataset_id!r}, which has no labels in seeds/labels.csv: correct the name, or "
            "declare its labels there, because predictions are checked against them"
        )
    votes_file = {each["dataset_id"]: each["votes_file"] for each in read_seed(seeds / "datasets.csv")}.get(dataset_id)
    votes_layout = LAYOUTS.get(votes_file or "")
    return model_layout(
        shape,
        dataset_id,
        tuple(label for _, label in sorted(labels)),
        row["model_id"],
        votes_layout.parameters.get("items") if votes_layout else None,
    )
