"""Bring your own votes: every shape lands to the same counts, texts survive, and bad input gets one sentence."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shlex
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from conftest import PROJECT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scripts import add
from scripts.landing import formats
from scripts.landing.declared import LandingError

Votes = dict[tuple[str, str], str]
Counts = Counter[tuple[str, str]]


def look(path: Path, *flags: str) -> tuple[Counts, dict[str, int]]:
    """Votes per item and label, and dropped votes by reason, as the staging model makes them; nothing is written."""
    options = add.parser().parse_args([str(path), "--name", "mine", "--dry-run", *flags])
    adding = add.Adding(options)
    adding.run()
    counted = adding.connection.execute(
        "select item_id, label, cast(sum(weight) as bigint) from checked_votes"
        " where drop_reason is null and weight > 0 and not is_attention_check group by all"
    ).fetchall()
    dropped = adding.connection.execute(
        "select drop_reason, cast(sum(weight) as bigint) from checked_votes where drop_reason is not null group by all"
    ).fetchall()
    return Counter({(item, label): votes for item, label, votes in counted}), dict(dropped)


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def counts_of(path: Path, *flags: str) -> Counts:
    return look(path, *flags)[0]


# --- each shape ----------------------------------------------------------------------------------------------------

# Three annotators, four items; the third item has two votes only.
VOTES: Votes = {
    ("a", "ann"): "cat",
    ("a", "bob"): "cat",
    ("a", "cid"): "dog",
    ("b", "ann"): "dog",
    ("b", "bob"): "dog",
    ("b", "cid"): "dog",
    ("c", "ann"): "cat",
    ("c", "bob"): "dog",
    ("d", "ann"): "cat",
    ("d", "bob"): "cat",
    ("d", "cid"): "cat",
}
EXPECTED: Counts = Counter((item, label) for (item, _), label in VOTES.items())
ITEMS = ["a", "b", "c", "d"]
ANNOTATORS = ["ann", "bob", "cid"]


def as_csv(rows: Sequence[Sequence[Any]], delimiter: str = ",", end: str = "\n") -> str:
    def cell(value: Any) -> str:
        # Python's writer leaves a lone \r without quotes.
        text = str(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set('"\r\n' + delimiter) else text

    return "".join(delimiter.join(map(cell, row)) + end for row in rows)


def long_rows(votes: Votes) -> list[list[Any]]:
    return [["item", "annotator", "label"], *([item, who, label] for (item, who), label in votes.items())]


def columns_rows(votes: Votes) -> list[list[Any]]:
    items, people = list(dict.fromkeys(i for i, _ in votes)), list(dict.fromkeys(a for _, a in votes))
    return [
        ["item", *(f"rater_{who}" for who in people)],
        *([i, *(votes.get((i, a), "") for a in people)] for i in items),
    ]


def counts_rows(votes: Votes, blank: str = "") -> list[list[Any]]:
    items, labels = list(dict.fromkeys(i for i, _ in votes)), sorted(set(votes.values()))
    counts = Counter((i, label) for (i, _), label in votes.items())
    return [["item", *labels], *([i, *(counts[i, k] or blank for k in labels)] for i in items)]


def lists_of(votes: Votes) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for (item, _), label in votes.items():
        lists.setdefault(item, []).append(label)
    return lists


def nested(votes: Votes) -> dict[str, dict[str, str]]:
    tree: dict[str, dict[str, str]] = {}
    for (item, who), label in votes.items():
        tree.setdefault(item, {})[who] = label
    return tree


@pytest.mark.parametrize(
    "name, content, flags",
    [
        ("long.csv", as_csv(long_rows(VOTES)), ()),
        ("long.tsv", as_csv(long_rows(VOTES), "\t"), ()),
        ("long.txt", as_csv(long_rows(VOTES), ";", "\r\n"), ()),
        ("bare.csv", as_csv(long_rows(VOTES)[1:], "|"), ()),
        ("named.csv", as_csv([["task", "votes", "label"], *long_rows(VOTES)[1:]]), ("--annotator", "votes")),
        ("columns.csv", as_csv(columns_rows(VOTES)), ()),
        ("counts.csv", as_csv(counts_rows(VOTES)), ("--shape", "counts")),
        ("lists.csv", as_csv([["item", "votes"], *([i, "|".join(v)] for i, v in lists_of(VOTES).items())]), ()),
        ("json_lists.csv", as_csv([["item", "votes"], *([i, json.dumps(v)] for i, v in lists_of(VOTES).items())]), ()),
        ("nested.json", json.dumps(nested(VOTES)), ()),
        ("lists.json", json.dumps(lists_of(VOTES)), ()),
        ("records.json", json.dumps([{"item": i, "annotator": a, "label": k} for (i, a), k in VOTES.items()]), ()),
        (
            "records.jsonl",
            "\n".join(json.dumps({"item": i, "annotator": a, "label": k}) for (i, a), k in VOTES.items()),
            (),
        ),
        (
            "deep.jsonl",
            "\n".join(
                json.dumps({"item": {"id": i}, "votes": [{"annotator": a, "label": k} for a, k in of.items()]})
                for i, of in nested(VOTES).items()
            ),
            (),
        ),
        (
            "parallel.json",
            json.dumps(
                {
                    i: {"annotators": ",".join(of), "annotations": ",".join(of.values()), "hard": {"x": 1}}
                    for i, of in nested(VOTES).items()
                }
            ),
            (),
        ),
        ("long.csv.gz", gzip.compress(as_csv(long_rows(VOTES)).encode()), ()),
    ],
)
def test_every_shape_lands_to_the_same_counts(
    tmp_path: Path, name: str, content: str | bytes, flags: tuple[str]
) -> None:
    assert counts_of(write(tmp_path, name, content), *flags) == EXPECTED


def test_zip_numpy_and_parquet(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("votes.csv", as_csv(long_rows(VOTES)))
        archive.writestr("__MACOSX/._votes.csv", "shadow")
    assert counts_of(tmp_path / "v.zip") == EXPECTED

    long = tmp_path / "v.csv"
    long.write_text(as_csv(long_rows(VOTES)))
    duckdb.execute(f"copy (from '{long}') to '{tmp_path}/v.parquet'")
    assert counts_of(tmp_path / "v.parquet") == EXPECTED
    duckdb.execute(f"copy (select item, list(label) as labels from '{long}' group by item) to '{tmp_path}/l.parquet'")
    assert counts_of(tmp_path / "l.parquet") == EXPECTED

    np.save(tmp_path / "v.npy", np.array([[EXPECTED[i, k] for k in ("cat", "dog")] for i in ITEMS], dtype="uint8"))
    named = {(ITEMS[int(i) - 1], {"0": "cat", "1": "dog"}[k]): n for (i, k), n in counts_of(tmp_path / "v.npy").items()}
    assert named == EXPECTED


def test_a_frequency_and_an_item_of_two_columns(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["set", "image", "label", "n"],
        *(["s", i, k, n] for (i, k), n in EXPECTED.items()),
        ["s", "a", "cow", 0],
    ]
    path = write(tmp_path, "grouped.csv", as_csv(rows))
    found = counts_of(path, "--item", "set", "image", "--frequency", "n")
    assert found == Counter({(f"s|{item}", label): n for (item, label), n in EXPECTED.items()})


def test_texts_survive_unchanged(tmp_path: Path) -> None:
    labels = ["001", "1", "1.0", "NA", "", "Ä é 日本", "12345678901234567890123", "a\nb", 'say "no"', " x ", "null"]
    rows = "\n".join(f'007,99999999999999999999,"{label.replace(chr(34), chr(34) * 2)}"' for label in labels)
    path = write(tmp_path, "odd.csv", f"item,annotator,label\n{rows}\n008,1,x\n007,1,\n")
    found, dropped = look(path, "--repeats", "count_all")
    assert found == Counter([("007", label) for label in labels] + [("008", "x")])
    # An empty cell is no vote, an empty text in quotes is one.
    assert dropped == {"missing": 1}


def test_numbers_in_json_stay_as_they_are_spelled(tmp_path: Path) -> None:
    text = '{"007": {"12345678901234567890": 1.10, "2": 1.1, "3": true, '
    text += '"4": null, "5": 98765432109876543210}, "8": {"2": 1}}'
    found, dropped = look(write(tmp_path, "n.json", text))
    assert found == Counter(
        [("007", "1.10"), ("007", "1.1"), ("007", "true"), ("007", "98765432109876543210"), ("8", "1")]
    )
    assert dropped == {"missing": 1}


def worked_examples() -> list[tuple[dict[str, str], list[str], str]]:
    """(files, arguments, what add says) of each example in docs/bring-your-own.md."""
    text = (PROJECT / "docs" / "bring-your-own.md").read_text(encoding="utf-8")
    section = text.partition("## A worked example")[2].partition("\n## ")[0]
    examples = []
    for part in section.split("\n### ")[1:]:
        files = dict(re.findall(r"^`([^`\n]+)`[^\n]*\n\n```\w+\n(.*?)```", part, flags=re.MULTILINE | re.DOTALL))
        command, said = re.findall(r"```sh\npython -m scripts.add (.*)\n```\n\n(.*)", part)[0]
        examples.append((files, shlex.split(command), said))
    return examples


@pytest.mark.parametrize("files, arguments, said", worked_examples())
def test_the_worked_examples_of_the_docs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    files: dict[str, str],
    arguments: list[str],
    said: str,
) -> None:
    for name, content in files.items():
        write(tmp_path, name, content)
    monkeypatch.chdir(tmp_path)
    assert add.main([*arguments, "--dry-run"]) == 0, capsys.readouterr().err
    assert f": {said}\n" in capsys.readouterr().out


# --- choices -------------------------------------------------------------------------------------------------------

REPEATED = "item,annotator,label\n" + "a,ann,x\na,bob,y\na,ann,y\nb,ann,y\nb,bob,y\nb,bob,x\n"


@pytest.mark.parametrize(
    "choice, votes, dropped",
    [
        ("count_all", {("a", "x"): 1, ("a", "y"): 2, ("b", "x"): 1, ("b", "y"): 2}, {}),
        ("keep_first", {("a", "x"): 1, ("a", "y"): 1, ("b", "y"): 2}, {"repeated vote": 2}),
        ("keep_last", {("a", "y"): 2, ("b", "x"): 1, ("b", "y"): 1}, {"repeated vote": 2}),
    ],
)
def test_repeated_votes(
    tmp_path: Path, choice: str, votes: dict[tuple[str, str], int], dropped: dict[str, int]
) -> None:
    path = write(tmp_path, "r.csv", REPEATED)
    assert look(path, "--repeats", choice) == (Counter(votes), dropped)
    with pytest.raises(LandingError, match=r"row 3.*2 such repeated votes.*--repeats"):
        look(path)


def test_grouped_by_annotator_must_be_counted_all(tmp_path: Path) -> None:
    path = write(tmp_path, "r.csv", "item,annotator,label,n\na,ann,x,2\na,bob,y,1\nb,ann,y,1\nb,bob,x,1\n")
    with pytest.raises(LandingError, match=r"several votes in one row.*--repeats count_all"):
        look(path, "--frequency", "n", "--repeats", "keep_last")
    assert counts_of(path, "--frequency", "n", "--repeats", "count_all").total() == 5


def test_a_dropped_vote_is_no_repeat(tmp_path: Path) -> None:
    path = write(tmp_path, "r.csv", "item,annotator,label\na,ann,skip\na,ann,x\na,bob,y\nb,ann,y\nb,bob,?\n")
    found, dropped = look(path, "--abstain", "skip", "--missing", "?")
    assert found == Counter([("a", "x"), ("a", "y"), ("b", "y")])
    assert dropped == {"abstention": 1, "missing": 1}


def test_several_labels_of_one_vote(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "item,annotator,label\na,ann,x;y\na,bob,x\nb,ann,y\nb,bob,\n")
    assert counts_of(path) == Counter([("a", "x;y"), ("a", "x"), ("b", "y")])
    flags = ("--label-separator", ";")
    with pytest.raises(LandingError, match="row 1, column label: 'x;y' names several labels"):
        look(path, *flags)
    assert counts_of(path, *flags, "--several", "count_each") == Counter(
        [("a", "x"), ("a", "y"), ("a", "x"), ("b", "y")]
    )


def test_attention_checks_by_a_flag_and_by_gold_items(tmp_path: Path) -> None:
    flagged = write(
        tmp_path,
        "f.csv",
        "item,annotator,label,gold,check\ng,ann,x,x,1\ng,bob,y,x,1\ng,ann,x,x,1\na,ann,x,,0\na,bob,y,,0\nb,ann,y,,0\n",
    )
    found, _ = look(flagged, "--check", "check", "--pass-pct", "80")
    assert found == Counter([("a", "x"), ("a", "y"), ("b", "y")])
    with pytest.raises(LandingError, match="--pass-pct is missing"):
        look(flagged, "--check", "check")
    with pytest.raises(LandingError, match=r"row 1.*attention check without a true label"):
        look(flagged, "--check", "check", "--pass-pct", "80", "--no-true-label")
    golden = write(tmp_path, "g.csv", "item,annotator,label,gold\ng,ann,x,x\ng,bob,y,x\na,ann,x,\na,bob,y,\n")
    assert counts_of(golden, "--gold-items", "--pass-pct", "60") == Counter([("a", "x"), ("a", "y")])


def test_true_labels_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "long.csv", as_csv(long_rows(VOTES)))
    look(path, "--true-label-file", str(write(tmp_path, "t.tsv", "cat\ta\ndog\tb\ncat\tzz\n")))
    assert "true labels for 2 items" in capsys.readouterr().out
    with pytest.raises(LandingError, match="'a' has the true labels 'cat' and 'dog'"):
        look(path, "--true-label-file", str(write(tmp_path, "two.tsv", "a\tcat\nb\tcat\na\tdog\n")))


# --- bad input -----------------------------------------------------------------------------------------------------

HEAD = "item,annotator,label\n"
GOOD = HEAD + "a,ann,x\na,bob,y\nb,ann,x\nb,bob,x\n"
WITH_TOTAL = "item,x,y,n\na,1,2,3\nb,2,1,4\n"
TWICE = "item,x,y\na,1,2\na,2,1\n"
MANY = HEAD + "".join(f"i{n // 2},w{n % 2},{n / 7}\n" for n in range(120))


@pytest.mark.parametrize(
    "name, content, flags, says",
    [
        ("v.csv", GOOD, ("--label", "verdict"), "header: no column 'verdict'"),
        ("v.csv", "", (), "is empty"),
        ("v.csv", "\n\n", (), "is empty"),
        ("v.csv", HEAD, ("--header",), "holds a header but no rows"),
        ("v.csv", HEAD + "a,ann,x\na,bob,x\nb,ann,x\n", (), "column label: all votes are for one label, 'x'"),
        ("v.csv", HEAD + "a,ann,x\nb,ann,y\na,ann,y\n", ("--repeats", "count_all"), "column annotator: all votes"),
        ("v.csv", HEAD + "a,ann,x\na,bob,y\nb,ann,\n", (), "row 3: 1 items without a vote ('b')"),
        ("v.csv", HEAD + "a,ann,x\nb;ann;y\n", (), "row 2: separated by ';' where the rows above use ','"),
        ("v.csv", HEAD + 'a,ann,x\na,"bob,y\nb,ann,x\n', (), "row 2, column 2: a quotation mark that doesn't close"),
        ("v.csv", HEAD + 'a,ann,x\na,"bob" b,y\n', (), "row 2, column 2: text after a closing quotation mark"),
        ("v.csv", HEAD.encode() + b"a,ann,\xe4\n", (), "row 2: bytes that are not UTF-8"),
        ("v.csv", HEAD.encode() + b"a,ann,\x00\n", (), "a NUL byte"),
        ("v.csv", HEAD + "a,ann,x\na,bob\n", (), "row 2: 2 values where the first row has 3"),
        ("v.csv", "item,x,y\na,1,-2\nb,2,1\n", ("--shape", "counts", "--columns", "x", "y"), "row 1, column y: '-2'"),
        ("v.csv", "item,x,y\na,1,2\nb,2,1.5\n", ("--shape", "counts", "--columns", "x", "y"), "row 2, column y: '1.5'"),
        ("v.csv", WITH_TOTAL, ("--columns", "x", "y", "--total", "n"), "row 2, column n: the counts add up to 3"),
        ("v.csv", MANY, (), "120 different numbers, which looks like a measurement"),
        ("v.csv", HEAD + "a,ann,x\nb,bob,y\nc,ann,y\n", (), "column item: each of the 3 rows is an item of its own"),
        ("v.csv", gzip.compress(GOOD.encode()), (), "ends in .csv and holds gzip"),
        ("v.csv.gz", GOOD, (), "ends in .gz and does not hold that"),
        ("v.parquet", GOOD, (), "ends in .parquet and does not hold that"),
        ("v.npy", GOOD, (), "ends in .npy and does not hold that"),
        ("v.json", GOOD, (), "row 1, column 1: no JSON"),
        ("v.json", '{"a": 1}\n{"b": 2}\n', (), "holds JSON lines"),
        ("v.json", '{"a": {"x": "1", "x": "2"}}', (), "'x' is there twice"),
        ("v.json", "[" * 100_000, (), "nested"),
        ("v.json", '{"a": {"ann": "\\ud800", "bob": "x"}}', (), "half of a surrogate pair"),
        ("v.jsonl", '{"item": "a"}\nnonsense\n', (), "row 2: no JSON object"),
        ("v.xlsx", b"PK\x03\x04", (), "ends in .xlsx"),
        ("v.csv", "\ufeff".encode("utf-16"), (), "is UTF-16 text"),
        ("v.bin", GOOD, (), "pass --format"),
        ("v.csv", GOOD, ("--item", "item", "--annotator", "item"), "column item: given for item and for annotator"),
        ("v.csv", GOOD, ("--labels", "x"), "row 2, column label: 'y' is not among the declared labels"),
        ("v.csv", GOOD, ("--allow", "everything"), "--allow everything: there is only"),
        ("v.csv", GOOD, ("--delimiter", ",,"), "--delimiter ',,' is more than one character"),
        ("v.csv", HEAD + "a,ann,x\n,bob,y\nb,ann,x\n", (), "row 2, column item: no item"),
        ("v.csv", HEAD + "a,ann,x\na,,y\nb,ann,x\n", (), "row 2, column annotator: a vote without an annotator"),
        ("v.csv", TWICE, ("--shape", "counts", "--item", "item"), "rows 1 and 2, column item: item 'a' is there twice"),
        ("v.csv", "item,{{ x }},y\na,1,2\nb,2,1\n", (), "dbt would read its braces"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str | bytes,
    flags: tuple[str, ...],
    says: str,
) -> None:
    path = write(tmp_path, name, content)
    assert add.main([str(path), "--name", "mine", "--dry-run", *flags]) == 1
    sentence = capsys.readouterr().err
    assert says in sentence and sentence.count("\n") == 1
    assert name in sentence or "--" in sentence


@pytest.mark.parametrize(
    "name", ["demo", "ferplus", "items", "votes", "select", "Mine", "1st", "a-b", "", "x__y", "landed_files"]
)
def test_names_that_are_taken_or_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert add.main([str(write(tmp_path, "v.csv", GOOD)), "--name", name, "--dry-run"]) == 1
    assert f"--name {name}" in capsys.readouterr().err


def test_a_pickled_array_is_never_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "v.npy", np.array([[{"a": 1}]], dtype=object), allow_pickle=True)
    assert add.main([str(tmp_path / "v.npy"), "--name", "mine", "--dry-run"]) == 1
    assert "pickled objects are never loaded" in capsys.readouterr().err


def test_swapped_items_and_annotators_are_pointed_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{item},{who},{'xy'[(item + who) % 2]}\n" for item in range(20) for who in range(3))
    path = write(tmp_path, "v.csv", "annotator,item,label\n" + rows)
    look(path)
    assert "3 items with 20 votes each, by 20 annotators with 3 votes each" in capsys.readouterr().out


# --- properties ----------------------------------------------------------------------------------------------------

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5).filter(
    lambda text: not any(mark in text for mark in ("{{", "{%", "{#"))
)
FLAGS = ("--allow", "one_label", "one_annotator", "unique_items", "items_without_votes")


@st.composite
def vote_sets(draw: st.DrawFn) -> Votes:
    items = draw(st.lists(TEXT, min_size=1, max_size=5, unique=True))
    people = draw(st.lists(TEXT, min_size=2, max_size=4, unique=True))
    labels = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
    return {(item, who): draw(st.sampled_from(labels)) for item in items for who in people}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("votes")


def places(rows: list[list[Any]]) -> list[str]:
    return [f"#{place}" for place in range(2, len(rows[0]) + 1)]


def _writers() -> dict[str, Callable[[Votes], tuple[str, str | bytes, tuple[str, ...]]]]:
    long = ("--shape", "long", "--item", "#1", "--annotator", "#2", "--label", "#3", "--no-true-label", "--header")
    return {
        "long": lambda v: ("v.csv", as_csv(long_rows(v)), long),
        "long, semicolons": lambda v: ("v.csv", as_csv(long_rows(v), ";", "\r\n"), (*long, "--delimiter", ";")),
        "long, gzip": lambda v: (
            "v.tsv.gz",
            gzip.compress(as_csv(long_rows(v), "\t").encode()),
            (*long, "--delimiter", "tab"),
        ),
        "columns": lambda v: (
            "v.csv",
            as_csv(columns_rows(v)),
            (
                "--shape",
                "annotators",
                "--header",
                "--item",
                "#1",
                "--no-missing",
                "--no-true-label",
                "--columns",
                *places(columns_rows(v)),
            ),
        ),
        "counts": lambda v: (
            "v.csv",
            as_csv(counts_rows(v)),
            (
                "--shape",
                "counts",
                "--header",
                "--item",
                "#1",
                "--no-total",
                "--no-true-label",
                "--columns",
                *places(counts_rows(v)),
            ),
        ),
        "JSON lists in csv": lambda v: (
            "v.csv",
            as_csv([["item", "votes"], *([i, json.dumps(x)] for i, x in lists_of(v).items())]),
            ("--shape", "lists", "--header", "--item", "#1", "--label", "#2", "--separator", "json", "--no-true-label"),
        ),
        "nested": lambda v: (
            "v.json",
            json.dumps({"k": nested(v)}),
            ("--item", "#2", "--annotator", "#3", "--label", "#4"),
        ),
        "records": lambda v: (
            "v.jsonl",
            "\n".join(json.dumps({"item": i, "annotator": a, "label": k}) for (i, a), k in v.items()),
            ("--shape", "long", "--item", "item", "--annotator", "annotator", "--label", "label"),
        ),
    }


@pytest.mark.parametrize("shape", _writers())
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(votes=vote_sets())
def test_random_votes_land_to_the_same_counts_in_every_shape(scratch: Path, shape: str, votes: Votes) -> None:
    name, content, flags = _writers()[shape](votes)
    path = write(scratch, name, content)
    assert counts_of(path, *flags, *FLAGS) == Counter((item, label) for (item, _), label in votes.items())


CONNECTION = duckdb.connect()
LINES = st.text(st.sampled_from('ab1 ,;"\n\r\t|é'), max_size=60)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=LINES)
def test_any_text_lands_as_an_independent_reader_reads_it_or_is_refused(scratch: Path, text: str) -> None:
    path = write(scratch, "any.csv", text)
    reading = formats.Reading("csv", ",", '"', has_header=False)
    try:
        names = formats.read(CONNECTION, "any.csv", path, reading)
    except LandingError as refused:
        assert str(refused).startswith("any.csv") and "\n" not in str(refused)
        return
    columns = ", ".join(f'"{raw}"' for raw in formats.raw_names(names))
    rows = CONNECTION.execute(f"select {columns} from file_rows order by file_row").fetchall()
    expected = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    if len(names) == 1:
        # Python's reader gives blank lines and lines with an empty text alike.
        assert [row for row in rows if row[0]] == [tuple(row) for row in expected if row[0]]
    else:
        assert [tuple(cell or "" for cell in row) for row in rows] == [tuple(row) for row in expected]


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    text=st.one_of(LINES, st.binary(max_size=60)),
    ending=st.sampled_from(["csv", "tsv", "json", "jsonl", "csv.gz", "npy", "parquet"]),
)
def test_any_bytes_are_votes_or_one_sentence(scratch: Path, text: str | bytes, ending: str) -> None:
    path = write(scratch, f"any.{ending}", text)
    try:
        counts = counts_of(path, *FLAGS)
    except LandingError as refused:
        assert "\n" not in str(refused)
        return
    assert all(votes > 0 for votes in counts.values())
