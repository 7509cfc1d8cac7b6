"""Validation: the rows just read are judged by the Great Expectations suites in `expectations/`.

A suite judges one frame, and each frame is computed in SQL first and is as small as its question allows (one row
an annotator, one row per distinct answer), because expectations on pandas frames are slow. The file row travels
along, so that a message can point at it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import Any

import duckdb

# Read when Great Expectations is imported: no usage statistics.
os.environ["GX_ANALYTICS_ENABLED"] = "false"

import great_expectations as gx
from great_expectations.data_context.types.base import ProgressBarsConfig

from scripts.landing.declared import PROJECT, RETAKE, LandingError, SourceFile
from scripts.landing.layouts import Layout, Shape
from scripts.landing.readers import FILE_ROWS, TRUE_LABELS

SUITES = PROJECT / "expectations"
# An expectation as its suite says it; the result of the check, and in it the `first` row of the frame that fails.
Failure = tuple[dict[str, Any], dict[str, Any]]

_NO_VALUE = "no value"
_FERPLUS_LABELS = "neutral, happiness, surprise, sadness, anger, disgust, fear, contempt, unknown, nf"

DATASET_ITEMS, DATASET_LABELS = "dataset_items", "dataset_labels"

# Name of a suite -> the query that makes its frame; $items is a parameter of the file's layout. The items and labels
# of the data set that model outputs are about lie in tables of the connection.
FRAMES: Mapping[str, str] = {
    "trials": f"""
        select file_row, annotator_id, trial_index, is_attn_check, cifar10_test_test_idx, reaction_time, time_elapsed
        from {FILE_ROWS}
    """,
    "answers": f"""
        select
            min(file_row) as file_row, true_category, chosen_category, true_label, chosen_label, correct_guess,
            cast(true_label = chosen_label as bigint) as is_right, count(*) as trials
        from {FILE_ROWS}
        group by all
        order by 1
    """,
    "annotators": f"""
        select
            min(file_row) as file_row, annotator_id, count(*) as trials,
            count(*) filter (is_attn_check = 1) as attention_checks
        from {FILE_ROWS}
        group by annotator_id
        order by 1
    """,
    "items": f"""
        select
            item_index, count(file_row) as votes, count(distinct true_label) as true_labels
        from range($items) as expected(item_index)
        left join {FILE_ROWS} on cifar10_test_test_idx = item_index and is_attn_check = 0
        group by item_index
        order by 1
    """,
    "cells": f"select item_index, label_index, votes from {FILE_ROWS}",
    "counted_items": f"""
        select item_index, cast(sum(votes) as bigint) as votes from {FILE_ROWS} group by item_index order by 1
    """,
    "images": f"""
        select
            file_row, usage, image_name,
            neutral + happiness + surprise + sadness + anger + disgust + fear + contempt + unknown + nf as total_votes
        from {FILE_ROWS}
    """,
    "image_names": f"""
        select min(file_row) as file_row, image_name, count(*) as rows
        from {FILE_ROWS}
        where image_name is not null
        group by image_name
        order by 1
    """,
    "image_votes": f"""
        select min(file_row) as file_row, label, votes, count(*) as rows
        from {FILE_ROWS} unpivot include nulls (votes for label in ({_FERPLUS_LABELS}))
        group by label, votes
        order by 1
    """,
    "splits": f"""
        select usage, count(file_row) as rows
        from (values ('Training'), ('PublicTest'), ('PrivateTest')) as expected(usage)
        left join {FILE_ROWS} using (usage)
        group by usage
    """,
    "prediction_labels": f"""
        select
            min(file_row) as file_row, found.label, cast(bool_or(declared.label is not null) as bigint) as is_declared
        from {FILE_ROWS} as found
        left join {DATASET_LABELS} as declared on found.label = declared.label
        group by found.label
        order by 1
    """,
    # file_row is the row at fault where there is one, else the first of the model and item.
    "predictions": f"""
        with numbered as (
            select
                *, row_number() over (partition by model_id, item_id, label order by file_row) as nth,
                row_number() over (partition by model_id, item_id order by file_row) as nth_of_item
            from {FILE_ROWS}
        ),
        answers as (
            select
                coalesce(
                    min(file_row) filter (where nth > 1 or probability is null and nth_of_item > 1),
                    min(file_row) filter (where probability < 0),
                    min(file_row)
                ) as file_row,
                model_id, item_id, count(*) as rows, count(distinct label) as labels,
                case when count(probability) = 0 then 1 else (select count(*) from {DATASET_LABELS}) end
                    as labels_wanted,
                min(probability) as lowest_probability, round(sum(probability), 6) as probability_sum
            from numbered
            group by model_id, item_id
        ),
        wanted as (
            select model_id, item_id, position
            from (select distinct model_id from {FILE_ROWS} where model_id is not null) cross join {DATASET_ITEMS}
        )
        select
            file_row, coalesce(answers.model_id, wanted.model_id) as model_id,
            coalesce(answers.item_id, wanted.item_id) as item_id,
            cast(wanted.item_id is not null or answers.model_id is null as bigint) as is_item,
            coalesce(rows, 0) as rows, coalesce(labels, 0) as labels, coalesce(labels_wanted, 0) as labels_wanted,
            lowest_probability, probability_sum
        from answers
        full join wanted on answers.model_id = wanted.model_id and answers.item_id = wanted.item_id
        order by file_row nulls last, model_id, position
    """,
    "embedded_counts": f"""
        select file_row, item_id, any_value(true_label) as true_label, min(votes) as lowest_votes
        from model_human_counts
        left join {TRUE_LABELS} using (file_row)
        group by file_row, item_id
        order by 1
    """,
}

_TRIAL_SUITES = ("trials", "answers", "annotators", "items")
_ITEM_SUITES = ("embedded_counts", "predictions")
SUITES_OF: Mapping[Shape, tuple[str, ...]] = {
    Shape.TRIALS_ZIP: _TRIAL_SUITES,
    Shape.TRIALS_CSV: _TRIAL_SUITES,
    Shape.COUNTS_NPY: ("cells", "counted_items"),
    Shape.FERPLUS_CSV: ("image_votes", "images", "image_names", "splits"),
    Shape.PREDICTIONS_LONG: ("prediction_labels", "predictions"),
    Shape.TRUTH_COUNTS_PROBABILITIES: _ITEM_SUITES,
    Shape.COUNTS_PROBABILITIES_TRUTH: _ITEM_SUITES,
}
# What tells a reader which row of a frame is meant, in the order of preference of the message.
_POINTERS = ("file_row", "annotator_id", "model_id", "item_id", "item_index", "label_index", "label")


def expect(connection: duckdb.DuckDBPyConnection, layout: Layout, items: list[str]) -> None:
    """Put the items and labels of the data set into `connection`, for the suites of model outputs."""
    for table, column, values in ((DATASET_ITEMS, "item_id", items), (DATASET_LABELS, "label", list(layout.labels))):
        connection.execute(
            f"create or replace table {table} as select unnest($values) as {column}, "
            "generate_subscripts($values, 1) as position",
            {"values": values},
        )


def validate(connection: duckdb.DuckDBPyConnection, source: SourceFile, layout: Layout) -> list[str]:
    """Judge the table `file_rows`; return the known quirks found, one sentence each.

    Raises LandingError for the first expectation that fails and isn't a mere warning.
    """
    warnings = []
    for name in SUITES_OF[layout.shape]:
        query = FRAMES[name]
        values = {"items": layout.parameters["items"]} if "$items" in query else None
        frame = connection.execute(query, values).df()
        warnings += judge(source.file_name, name, frame, layout.parameters)
    return warnings


def read_suite(name: str, suites: Path = SUITES) -> dict[str, Any]:
    """A suite as its file says it."""
    suite: dict[str, Any] = json.loads((suites / f"{name}.json").read_text(encoding="utf-8"))
    return suite


def judge(file_name: str, name: str, frame: Any, parameters: Mapping[str, int]) -> list[str]:
    """Judge one frame by one suite; return its warnings, raise LandingError for the first failure in the suite."""
    return verdict(file_name, failures(name, frame, parameters), parameters)


def verdict(file_name: str, failed: list[Failure], parameters: Mapping[str, int]) -> list[str]:
    """What `judge` says about the expectations that failed."""
    warnings = []
    for expectation, result in failed:
        sentence = _sentence(expectation, result, parameters)
        if expectation["severity"] == "warning":
            warnings.append(sentence[0].upper() + sentence[1:] + ".")
        else:
            raise LandingError(f"{file_name}{_where(expectation, result)}: {sentence}: {RETAKE}")
    return warnings


def failures(name: str, frame: Any, parameters: Mapping[str, int]) -> list[Failure]:
    """(expectation, result) of each expectation of the suite that fails, in the suite's order."""
    suite = read_suite(name)
    # The results come in another order than the expectations: a number leads back.
    numbered = [
        {**expectation, "meta": {**expectation["meta"], "number": number}}
        for number, expectation in enumerate(suite["expectations"])
    ]
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    asset = context.data_sources.add_pandas("landing").add_dataframe_asset(name)
    batch = asset.add_batch_definition_whole_dataframe("whole").get_batch({"dataframe": frame})
    outcome = batch.validate(
        gx.ExpectationSuite(name=name, expectations=numbered),
        expectation_parameters=dict(parameters),
        # Great Expectations can name rows by columns itself, but takes seconds where many rows fail.
        result_format="SUMMARY",
    )
    failed = {}
    for result in outcome.results:
        if not result.success and result.expectation_config:
            # One that could not be computed has an exception and an empty result.
            rows = result.result.get("partial_unexpected_index_list") or []
            first = frame.loc[rows[:1]].to_dict("records")
            failed[result.expectation_config.meta["number"]] = {**result.result, "first": first[0] if first else {}}
    return [(suite["expectations"][number], failed[number]) for number in sorted(failed)]


def _shown(value: Any) -> str:
    """A value as the file has it: no 7.0 for a 7, no NaN for a gap."""
    text = str(value)
    if text in ("nan", "None", "<NA>", "NaT"):
        return _NO_VALUE
    if text.endswith(".0"):
        return text[:-2]
    return text if text.lstrip("+-").replace(".", "", 1).isdigit() else repr(text[:80])


def _where(expectation: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """', row 17, column true_label, value 12', as far as the result knows."""
    kwargs, first = expectation["kwargs"], result["first"]
    columns = [kwargs[key] for key in ("column", "column_A", "column_B") if key in kwargs] + kwargs.get(
        "column_list", []
    )
    parts = []
    if "file_row" in first and _shown(first["file_row"]) != _NO_VALUE:
        parts.append(f"row {_shown(first['file_row'])}")
    parts += [
        f"{pointer} {_shown(first[pointer])}"
        for pointer in _POINTERS
        if pointer in first and pointer != "file_row" and pointer not in columns
    ]
    if first:
        parts += [f"column {column}, value {_shown(first[column])}" for column in columns if column in first]
    elif "column" in kwargs:
        parts.append(f"column {kwargs['column']}")
    return "".join(f", {part}" for part in parts)


def _sentence(expectation: Mapping[str, Any], result: Mapping[str, Any], parameters: Mapping[str, int]) -> str:
    observed = result.get("observed_value")
    if observed is None and (values := result.get("partial_unexpected_list")):
        observed = values[0]
    facts = {
        **{name: f"{value:,}" for name, value in parameters.items()},
        "count": f"{result.get('unexpected_count', 0):,}",
        "observed": f"{observed:,.0f}" if isinstance(observed, Real) else str(observed),
    }
    return str(expectation["meta"]["notes"]).format_map(facts)
