"""The suites in `expectations/`: each expectation has a red example, and messages are one plain sentence."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from scripts.landing import validate
from scripts.landing.declared import PROJECT, RETAKE, LandingError, read_declared
from scripts.landing.layouts import LAYOUTS, count_parameters, layout_of, trial_parameters

Frame = Any
Change = Callable[[Frame], Frame]

# Two annotators, two normal trials and one attention check each, four items.
TRIAL_PARAMETERS = trial_parameters(items=4, annotators=2, trials=3, attention_checks=1)
FERPLUS_PARAMETERS = {"training": 2, "public_test": 1, "private_test": 1, "raters": 10}
MODEL_PARAMETERS = {"first_label": 1, "last_label": 2}
PARAMETERS: dict[str, dict[str, int]] = {
    **dict.fromkeys(("trials", "answers", "annotators", "items"), TRIAL_PARAMETERS),
    **dict.fromkeys(("cells", "counted_items"), count_parameters(items=2, votes=9, labels=2)),
    **dict.fromkeys(("images", "image_names", "image_votes", "splits"), FERPLUS_PARAMETERS),
    **dict.fromkeys(("prediction_labels", "predictions", "embedded_counts"), MODEL_PARAMETERS),
}
VALID: dict[str, dict[str, list[Any]]] = {
    "trials": {
        "file_row": [1, 2, 3, 4, 5, 6],
        "annotator_id": [0, 0, 0, 1, 1, 1],
        "trial_index": [0, 1, 2, 0, 1, 2],
        "is_attn_check": [0, 1, 0, 0, 0, 1],
        "cifar10_test_test_idx": [0, -99999, 1, 2, 3, -99999],
        "reaction_time": [1.0, 2.5, 3.0, 4.0, 5.0, 6.0],
        "time_elapsed": [1.0, 3.5, 7.0, 4.0, 9.0, 15.0],
    },
    "answers": {
        "file_row": [1, 2, 3],
        "true_category": ["cat", "dog", "ship"],
        "chosen_category": ["cat", "cat", "ship"],
        "true_label": [3, 5, 8],
        "chosen_label": [3, 3, 8],
        "correct_guess": [1, 0, 1],
        "is_right": [1, 0, 1],
        "trials": [2, 2, 2],
    },
    "annotators": {"file_row": [1, 4], "annotator_id": [0, 1], "trials": [3, 3], "attention_checks": [1, 1]},
    "items": {"item_index": [0, 1, 2, 3], "votes": [1, 1, 1, 1], "true_labels": [1, 1, 1, 1]},
    "cells": {"item_index": [0, 0, 1, 1], "label_index": [0, 1, 0, 1], "votes": [4, 0, 2, 3]},
    "counted_items": {"item_index": [0, 1], "votes": [4, 5]},
    "images": {
        "file_row": [1, 2, 3, 4],
        "usage": ["Training", "Training", "PublicTest", "PrivateTest"],
        "image_name": ["fer0000000.png", "fer0000001.png", "fer0000002.png", "fer0000003.png"],
        "total_votes": [10, 9, 10, 10],
    },
    "image_names": {
        "file_row": [1, 2, 3],
        "image_name": ["fer0000000.png", "fer0000001.png", "fer0000002.png"],
        "rows": [1, 1, 1],
    },
    "image_votes": {
        "file_row": [1, 1, 2],
        "label": ["neutral", "fear", "fear"],
        "votes": [10, 0, 3],
        "rows": [1, 1, 1],
    },
    "splits": {"usage": ["Training", "PublicTest", "PrivateTest"], "rows": [2, 1, 1]},
    "prediction_labels": {"file_row": [1, 2], "label": ["cat", "dog"], "is_declared": [1, 1]},
    "predictions": {
        "file_row": [1, 3, 5],
        "model_id": ["m", "m", "n"],
        "item_id": ["0", "1", "0"],
        "is_item": [1, 1, 1],
        "rows": [2, 2, 2],
        "labels": [2, 2, 2],
        "labels_wanted": [2, 2, 2],
        "lowest_probability": [0.0, 0.25, 0.5],
        "probability_sum": [1.0, 0.99, 1.01],
    },
    "embedded_counts": {"file_row": [1, 2], "item_id": ["0", "1"], "true_label": [1, 2], "lowest_votes": [0, 3]},
}


def valid(suite: str) -> Frame:
    return pd.DataFrame(VALID[suite])


def put(column: str, row: int, value: Any) -> Change:
    return lambda frame: frame.assign(**{column: [*frame[column][:row], value, *frame[column][row + 1 :]]})


def gap(column: str) -> Change:
    return put(column, 1, None)


def as_type(column: str, dtype: str) -> Change:
    return lambda frame: frame.astype({column: dtype})


def numbers_instead(column: str) -> Change:
    return lambda frame: frame.assign(**{column: range(len(frame))})


def without_last_row(frame: Frame) -> Frame:
    return frame.iloc[:-1]


def extra_column(frame: Frame) -> Frame:
    return frame.assign(surprise=1)


IDX = "cifar10_test_test_idx"
# (suite, expectation as `key` names it) -> (what breaks it, what the sentence must contain)
RED: dict[tuple[str, str], tuple[Change, str]] = {
    ("trials", "columns"): (extra_column, "exactly these columns"),
    ("trials", "not_null annotator_id"): (gap("annotator_id"), "row 2, column annotator_id, value no value"),
    ("trials", "not_null trial_index"): (
        gap("trial_index"),
        "row 2, annotator_id 0, column trial_index, value no value",
    ),
    ("trials", "not_null is_attn_check"): (
        gap("is_attn_check"),
        "row 2, annotator_id 0, column is_attn_check, value no value",
    ),
    ("trials", f"not_null {IDX}"): (gap(IDX), f"row 2, annotator_id 0, column {IDX}"),
    ("trials", "type annotator_id"): (as_type("annotator_id", "float64"), "column annotator_id"),
    ("trials", "type trial_index"): (as_type("trial_index", "float64"), "column trial_index"),
    ("trials", "type is_attn_check"): (as_type("is_attn_check", "float64"), "column is_attn_check"),
    ("trials", f"type {IDX}"): (as_type(IDX, "float64"), f"column {IDX}"),
    ("trials", "type reaction_time"): (as_type("reaction_time", "str"), "column reaction_time"),
    ("trials", "type time_elapsed"): (as_type("time_elapsed", "str"), "column time_elapsed"),
    ("trials", "between annotator_id"): (put("annotator_id", 3, -1), "row 4, column annotator_id, value -1"),
    ("trials", "between trial_index"): (
        put("trial_index", 3, -1),
        "row 4, annotator_id 1, column trial_index, value -1",
    ),
    ("trials", "in_set is_attn_check"): (
        put("is_attn_check", 2, 2),
        "row 3, annotator_id 0, column is_attn_check, value 2",
    ),
    ("trials", f"in_set {IDX} where is_attn_check == 1"): (
        put(IDX, 1, 3),
        f"row 2, annotator_id 0, column {IDX}, value 3",
    ),
    ("trials", f"between {IDX} where is_attn_check == 0"): (
        put(IDX, 4, 4),
        "value 4: normal trials have an item index from 0 to 3",
    ),
    ("trials", f"compound_unique annotator_id {IDX} where is_attn_check == 0"): (
        put(IDX, 2, 0),
        f"row 1, column annotator_id, value 0, column {IDX}, value 0",
    ),
    ("trials", "not_null reaction_time"): (put("reaction_time", 1, float("nan")), "1 trials have no reaction time"),
    ("trials", "between reaction_time"): (put("reaction_time", 1, -5.0), "1 trials have a negative reaction time"),
    ("trials", "between time_elapsed"): (put("time_elapsed", 1, -5.0), "1 trials have a negative time since"),
    ("trials", "row_count"): (without_last_row, "5 rows where 6 are expected"),
    ("answers", "columns"): (extra_column, "exactly these columns"),
    ("answers", "not_null true_label"): (gap("true_label"), "row 2, column true_label, value no value"),
    ("answers", "not_null chosen_label"): (gap("chosen_label"), "row 2, column chosen_label"),
    ("answers", "not_null true_category"): (gap("true_category"), "row 2, column true_category"),
    ("answers", "not_null chosen_category"): (gap("chosen_category"), "row 2, column chosen_category"),
    ("answers", "not_null correct_guess"): (gap("correct_guess"), "row 2, column correct_guess"),
    ("answers", "type true_label"): (as_type("true_label", "float64"), "column true_label"),
    ("answers", "type chosen_label"): (as_type("chosen_label", "float64"), "column chosen_label"),
    ("answers", "type correct_guess"): (as_type("correct_guess", "float64"), "column correct_guess"),
    ("answers", "type true_category"): (numbers_instead("true_category"), "column true_category"),
    ("answers", "type chosen_category"): (numbers_instead("chosen_category"), "column chosen_category"),
    ("answers", "between true_label"): (put("true_label", 1, 10), "row 2, column true_label, value 10: labels are"),
    ("answers", "between chosen_label"): (put("chosen_label", 1, -1), "row 2, column chosen_label, value -1"),
    ("answers", "in_set true_category"): (put("true_category", 1, "wolf"), "row 2, column true_category, value 'wolf'"),
    ("answers", "in_set chosen_category"): (put("chosen_category", 1, "Cat"), "column chosen_category, value 'Cat'"),
    ("answers", "pair_in_set true_label true_category"): (
        put("true_label", 1, 6),
        "row 2, column true_label, value 6, column true_category, value 'dog'",
    ),
    ("answers", "pair_in_set chosen_label chosen_category"): (
        put("chosen_category", 1, "dog"),
        "chosen_label, value 3",
    ),
    ("answers", "in_set correct_guess"): (put("correct_guess", 1, 2), "row 2, column correct_guess, value 2"),
    ("answers", "pair_equal correct_guess is_right"): (
        put("correct_guess", 1, 1),
        "row 2, column correct_guess, value 1",
    ),
    ("annotators", "columns"): (extra_column, "exactly these columns"),
    ("annotators", "between trials"): (put("trials", 1, 4), "row 4, annotator_id 1, column trials, value 4"),
    ("annotators", "between attention_checks"): (
        put("attention_checks", 1, 0),
        "annotator_id 1, column attention_checks",
    ),
    ("annotators", "row_count"): (without_last_row, "1 annotators where 2 are expected"),
    ("items", "columns"): (extra_column, "exactly these columns"),
    ("items", "row_count"): (without_last_row, "4 items are expected"),
    ("items", "between votes"): (put("votes", 2, 0), "item_index 2, column votes, value 0"),
    ("items", "between true_labels"): (put("true_labels", 2, 2), "item_index 2, column true_labels, value 2"),
    ("cells", "columns"): (extra_column, "exactly these columns"),
    ("cells", "type item_index"): (as_type("item_index", "float64"), "column item_index"),
    ("cells", "type label_index"): (as_type("label_index", "float64"), "column label_index"),
    ("cells", "type votes"): (as_type("votes", "float64"), "column votes"),
    ("cells", "between item_index"): (
        put("item_index", 3, 2),
        "column item_index, value 2: items are numbered from 0 to 1",
    ),
    ("cells", "between label_index"): (put("label_index", 3, 10), "column label_index, value 10"),
    ("cells", "between votes"): (put("votes", 3, -1), "item_index 1, label_index 1, column votes, value -1"),
    ("cells", "compound_unique item_index label_index"): (put("label_index", 3, 0), "item_index, value 1"),
    ("counted_items", "columns"): (extra_column, "exactly these columns"),
    ("counted_items", "row_count"): (without_last_row, "2 items are expected"),
    ("counted_items", "between votes"): (put("votes", 1, 0), "item_index 1, column votes, value 0"),
    ("counted_items", "sum votes"): (put("votes", 1, 6), "10 votes where 9 are expected"),
    ("images", "columns"): (extra_column, "exactly these columns"),
    ("images", "not_null usage"): (gap("usage"), "row 2, column usage"),
    ("images", "in_set usage"): (put("usage", 1, "Validation"), "row 2, column usage, value 'Validation'"),
    ("images", "not_null total_votes"): (gap("total_votes"), "row 2, column total_votes"),
    ("images", "type total_votes"): (as_type("total_votes", "float64"), "column total_votes"),
    ("images", "between total_votes"): (put("total_votes", 1, 11), "row 2, column total_votes, value 11"),
    ("images", "not_null image_name"): (gap("image_name"), "1 rows have no image name"),
    ("image_names", "columns"): (extra_column, "exactly these columns"),
    ("image_names", "regex image_name"): (
        put("image_name", 1, "fer1.png"),
        "row 2, column image_name, value 'fer1.png'",
    ),
    ("image_names", "between rows"): (put("rows", 1, 2), "1 image names stand on more than one row"),
    ("image_votes", "columns"): (extra_column, "exactly these columns"),
    ("image_votes", "not_null votes"): (gap("votes"), "row 1, label 'fear', column votes, value no value"),
    ("image_votes", "type votes"): (as_type("votes", "float64"), "column votes"),
    ("image_votes", "between votes"): (put("votes", 2, 11), "row 2, label 'fear', column votes, value 11"),
    ("splits", "columns"): (extra_column, "exactly these columns"),
    ("splits", "between rows where usage == Training"): (put("rows", 0, 1), "Training has 1 rows where 2"),
    ("splits", "between rows where usage == PublicTest"): (put("rows", 1, 0), "PublicTest has 0 rows where 1"),
    ("splits", "between rows where usage == PrivateTest"): (put("rows", 2, 3), "PrivateTest has 3 rows where 1"),
    ("prediction_labels", "columns"): (extra_column, "exactly these columns"),
    ("prediction_labels", "not_null label"): (gap("label"), "row 2, column label, value no value"),
    ("prediction_labels", "null label where is_declared == 0"): (
        put("is_declared", 1, 0),
        "row 2, column label, value 'dog': the data set has no such label",
    ),
    ("predictions", "columns"): (extra_column, "exactly these columns"),
    ("predictions", "not_null model_id"): (gap("model_id"), "row 3, item_id 1, column model_id, value no value"),
    ("predictions", "not_null item_id"): (gap("item_id"), "row 3, model_id 'm', column item_id, value no value"),
    ("predictions", "null item_id where is_item == 0"): (
        put("is_item", 1, 0),
        "row 3, model_id 'm', column item_id, value 1: the data set has no such item",
    ),
    ("predictions", "pair_equal rows labels"): (
        put("labels", 1, 1),
        "row 3, model_id 'm', item_id 1, column rows, value 2, column labels, value 1",
    ),
    ("predictions", "between rows"): (
        lambda frame: put("rows", 1, 0)(put("labels", 1, 0)(gap("file_row")(frame))),
        "votes.csv, model_id 'm', item_id 1, column rows, value 0: a model needs",
    ),
    ("predictions", "pair_equal rows labels_wanted"): (
        put("labels_wanted", 1, 1),
        "row 3, model_id 'm', item_id 1, column rows, value 2, column labels_wanted, value 1",
    ),
    ("predictions", "between lowest_probability"): (
        put("lowest_probability", 1, -0.25),
        "row 3, model_id 'm', item_id 1, column lowest_probability, value -0.25",
    ),
    ("predictions", "between probability_sum"): (
        put("probability_sum", 1, 0.989),
        "row 3, model_id 'm', item_id 1, column probability_sum, value 0.989",
    ),
    ("embedded_counts", "columns"): (extra_column, "exactly these columns"),
    ("embedded_counts", "between true_label"): (
        put("true_label", 1, 3),
        "row 2, item_id 1, column true_label, value 3: labels are numbered from 1 to 2",
    ),
    ("embedded_counts", "between lowest_votes"): (
        put("lowest_votes", 1, -1),
        "row 2, item_id 1, column lowest_votes, value -1",
    ),
}

SHORT = {
    "expect_table_columns_to_match_ordered_list": "columns",
    "expect_table_row_count_to_equal": "row_count",
    "expect_column_values_to_not_be_null": "not_null",
    "expect_column_values_to_be_null": "null",
    "expect_column_values_to_be_of_type": "type",
    "expect_column_values_to_be_between": "between",
    "expect_column_values_to_be_in_set": "in_set",
    "expect_column_values_to_match_regex": "regex",
    "expect_column_sum_to_be_between": "sum",
    "expect_column_pair_values_to_be_in_set": "pair_in_set",
    "expect_column_pair_values_to_be_equal": "pair_equal",
    "expect_compound_columns_to_be_unique": "compound_unique",
}


def key(expectation: dict[str, Any]) -> str:
    kwargs = expectation["kwargs"]
    short = SHORT[expectation["type"]]
    columns = [kwargs[name] for name in ("column", "column_A", "column_B") if name in kwargs]
    if short == "compound_unique":
        columns += kwargs["column_list"]
    words = [short, *columns]
    if condition := kwargs.get("row_condition"):
        words += ["where", condition["column"]["name"], condition["operator"], str(condition["parameter"])]
    return " ".join(words)


def suites() -> list[str]:
    return sorted(path.stem for path in validate.SUITES.glob("*.json"))


def test_every_expectation_has_a_red_example_and_every_example_an_expectation() -> None:
    expectations = [(suite, key(each)) for suite in suites() for each in validate.read_suite(suite)["expectations"]]
    assert len(set(expectations)) == len(expectations)
    assert set(expectations) == set(RED)


def test_every_suite_is_used_and_has_a_frame() -> None:
    assert set(suites()) == set(validate.FRAMES) == {name for names in validate.SUITES_OF.values() for name in names}


@pytest.mark.parametrize("suite", suites())
def test_a_valid_frame_passes_without_a_warning(suite: str) -> None:
    assert validate.judge("votes.csv", suite, valid(suite), PARAMETERS[suite]) == []


@pytest.mark.parametrize(("suite", "expectation"), list(RED), ids=str)
def test_red_example(suite: str, expectation: str) -> None:
    """The expectation is the first of its suite to fail: without it, nothing else would say the same."""
    change, fragment = RED[suite, expectation]
    frame = change(valid(suite))
    failed = validate.failures(suite, frame, PARAMETERS[suite])
    first, _ = failed[0]
    assert key(first) == expectation
    if first["severity"] == "warning":
        (sentence,) = validate.verdict("votes.csv", failed, PARAMETERS[suite])
        assert sentence.endswith(".")
    else:
        with pytest.raises(LandingError) as refused:
            validate.verdict("votes.csv", failed, PARAMETERS[suite])
        sentence = str(refused.value)
        assert sentence.startswith("votes.csv") and sentence.endswith(f": {RETAKE}")
    assert fragment in sentence
    assert "\n" not in sentence and "nan" not in sentence and "{" not in sentence


def test_suites_say_what_they_check_in_plain_words() -> None:
    for suite in suites():
        content = validate.read_suite(suite)
        assert content["name"] == suite
        for expectation in content["expectations"]:
            assert expectation["severity"] in ("critical", "warning")
            assert len(expectation["meta"]["notes"].split()) >= 3


def test_known_quirks_and_published_totals_only_warn() -> None:
    warnings = {
        (suite, key(each))
        for suite in suites()
        for each in validate.read_suite(suite)["expectations"]
        if each["severity"] == "warning"
    }
    assert warnings == {
        ("trials", "not_null reaction_time"),
        ("trials", "between reaction_time"),
        ("trials", "between time_elapsed"),
        ("trials", "row_count"),
        ("annotators", "row_count"),
        ("counted_items", "sum votes"),
        ("images", "not_null image_name"),
        ("image_names", "between rows"),
        ("splits", "between rows where usage == Training"),
        ("splits", "between rows where usage == PublicTest"),
        ("splits", "between rows where usage == PrivateTest"),
    }


# --- from rows to frames -----------------------------------------------------------------------------------------


def file_rows(columns: str, rows: str) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"create table file_rows as select * from (values {rows}) as file_rows({columns})")
    return connection


def frame_of(connection: duckdb.DuckDBPyConnection, suite: str, items: int = 0) -> list[tuple[Any, ...]]:
    query = validate.FRAMES[suite]
    return connection.execute(query, {"items": items} if "$items" in query else None).fetchall()


TRIAL_COLUMNS = (
    "file_row, annotator_id, is_attn_check, true_category, chosen_category, true_label, chosen_label, correct_guess, "
    "cifar10_test_test_idx"
)


def test_frames_of_trials_point_at_the_first_row_and_keep_missing_items() -> None:
    connection = file_rows(
        TRIAL_COLUMNS,
        """(1, 7, 0, 'cat', 'dog', 3, 5, 0, 2), (2, 7, 1, 'cat', 'cat', 3, 3, 1, -99999),
           (3, 8, 0, 'cat', 'dog', 3, 5, 0, 2), (4, 8, 0, 'dog', 'dog', 5, 5, 1, 2)""",
    )
    assert frame_of(connection, "annotators") == [(1, 7, 2, 1), (3, 8, 2, 0)]
    assert frame_of(connection, "items", items=3) == [(0, 0, 0), (1, 0, 0), (2, 3, 2)]
    assert frame_of(connection, "answers") == [
        (1, "cat", "dog", 3, 5, 0, 0, 2),
        (2, "cat", "cat", 3, 3, 1, 1, 1),
        (4, "dog", "dog", 5, 5, 1, 1, 1),
    ]


FERPLUS_LABELS = "neutral, happiness, surprise, sadness, anger, disgust, fear, contempt, unknown, nf"


def test_frames_of_images_keep_gaps_and_empty_splits() -> None:
    connection = file_rows(
        f"file_row, usage, image_name, {FERPLUS_LABELS}",
        """(1, 'Training', 'a', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0), (2, 'Training', 'a', 1, 0, 0, 0, 0, 0, 0, 0, 0, 2),
           (3, 'PublicTest', null, 1, 0, 0, 0, 0, 0, 0, 0, 0, null)""",
    )
    assert frame_of(connection, "images") == [
        (1, "Training", "a", 1),
        (2, "Training", "a", 3),
        (3, "PublicTest", None, None),
    ]
    assert frame_of(connection, "image_names") == [(1, "a", 2)]
    assert sorted(frame_of(connection, "splits")) == [("PrivateTest", 0), ("PublicTest", 1), ("Training", 2)]
    votes = frame_of(connection, "image_votes")
    assert (1, "neutral", 1, 3) in votes and (3, "nf", None, 1) in votes and (2, "nf", 2, 1) in votes


def test_a_frame_of_counts_sums_the_labels() -> None:
    connection = file_rows("item_index, label_index, votes", "(0, 0, 3), (0, 1, 4), (1, 0, 0), (1, 1, 0)")
    assert frame_of(connection, "counted_items") == [(0, 7), (1, 0)]


# --- the figures of the published files ----------------------------------------------------------------------------


def test_the_declared_files_have_layouts_with_the_published_figures() -> None:
    declared = [layout_of(source) for source in read_declared()]
    assert all(layout in declared for layout in LAYOUTS.values())
    cifar = LAYOUTS["cifar10h-raw.zip"].parameters
    assert (cifar["items"], cifar["trials"], cifar["attention_checks"], cifar["rows"]) == (10_000, 210, 10, 539_910)
    assert LAYOUTS["demo-raw.csv"].parameters["items"] == 400
    for layout in declared:
        for suite in validate.SUITES_OF[layout.shape]:
            wanted = set(_parameters(validate.read_suite(suite)))
            assert wanted <= set(layout.parameters)


def _parameters(node: Any) -> list[str]:
    if isinstance(node, dict):
        if "$PARAMETER" in node:
            return [node["$PARAMETER"]]
        return [name for value in node.values() for name in _parameters(value)]
    if isinstance(node, list):
        return [name for value in node for name in _parameters(value)]
    return []


def test_validating_writes_nothing_anywhere(tmp_path: Path) -> None:
    """No project folder, no anonymous id in the home folder, no progress bar."""
    code = (
        "import json, sys, pandas; from scripts.landing import validate; "
        "validate.judge('f', 'items', pandas.DataFrame(json.loads(sys.argv[1])), json.loads(sys.argv[2]))"
    )
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    outcome = subprocess.run(
        [sys.executable, "-c", code, json.dumps(VALID["items"]), json.dumps(TRIAL_PARAMETERS)],
        env={**os.environ, "HOME": str(home), "PYTHONPATH": str(PROJECT), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=work,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (outcome.stdout, outcome.stderr) == ("", "")
    assert list(home.iterdir()) == [] and list(work.iterdir()) == []
