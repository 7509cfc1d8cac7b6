"""Model outputs: what their files must hold, how they land, and what the models make of them."""

import csv
import hashlib
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from conftest import PROJECT, Build

from scripts import land
from scripts.landing import readers, validate
from scripts.landing.declared import DEFAULT_MAX_BYTES, LandingError, SourceFile, read_declared
from scripts.landing.layouts import LAYOUTS, Layout, Shape, layout_of, model_layout

LABELS = ("cat", "dog")
LONG = model_layout(Shape.PREDICTIONS_LONG, "pets", LABELS, model_id="", items=3)
LONG_OF_ONE = replace(LONG, model_id="net")
TRUTH_FIRST = model_layout(Shape.TRUTH_COUNTS_PROBABILITIES, "pets", LABELS, model_id="net", items=3)
TRUTH_LAST = model_layout(Shape.COUNTS_PROBABILITIES_TRUTH, "pets", LABELS, model_id="net", items=3)

PROBABILITIES_CSV = """\
item_id,model_id,label,probability
0,a,cat,0.75
0,a,dog,0.25
1,a,cat,1
1,a,dog,0
2,a,cat,.5
2,a,dog,5e-1
"""
CHOSEN_CSV = """\
item_id,model_id,label
0,a,cat
1,a,dog
2,a,dog
0,b,cat
1,b,cat
2,b,dog
"""
TRUTH_FIRST_CSV = """\
0.0,5.0,1.0,0.75,0.25
1.0,0.0,4.0,0.0,1.0
0.0,2.0,2.0,0.5,0.5
"""
TRUTH_LAST_CSV = """\
5,1,0.75,0.25,1
0,4,0,1,2
2,2,0.5,0.5,1
"""
PREDICTIONS = [
    ("f.csv", 1, "net", "0", "cat", 0.75),
    ("f.csv", 1, "net", "0", "dog", 0.25),
    ("f.csv", 2, "net", "1", "cat", 0.0),
    ("f.csv", 2, "net", "1", "dog", 1.0),
    ("f.csv", 3, "net", "2", "cat", 0.5),
    ("f.csv", 3, "net", "2", "dog", 0.5),
]
COUNTS = [
    ("f.csv", 1, "0", "cat", 5),
    ("f.csv", 1, "0", "dog", 1),
    ("f.csv", 2, "1", "cat", 0),
    ("f.csv", 2, "1", "dog", 4),
    ("f.csv", 3, "2", "cat", 2),
    ("f.csv", 3, "2", "dog", 2),
]
Rows = list[tuple[Any, ...]]


def source(file_name: str = "f.csv", **changes: Any) -> SourceFile:
    return replace(SourceFile(file_name, "model_predictions", "", "", None, 1_000_000, "", ""), **changes)


def read(folder: Path, content: str | bytes, layout: Layout) -> tuple[Rows, Rows]:
    """The rows of both raw tables, read and validated."""
    path = folder / "f.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with duckdb.connect() as connection:
        validate.expect(connection, layout, [str(item) for item in range(layout.parameters["items"])])
        readers.read(connection, source(), layout, path)
        assert validate.validate(connection, source(), layout) == []
        return (
            connection.execute("from file_rows order by file_row, label").fetchall(),
            connection.execute("from model_human_counts order by file_row, label").fetchall(),
        )


def refusal(folder: Path, content: str | bytes, layout: Layout) -> str:
    with pytest.raises(LandingError) as refused:
        read(folder, content, layout)
    sentence = str(refused.value)
    assert sentence.startswith("f.csv") and "\n" not in sentence
    return sentence


# --- the layouts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "layout"), [(TRUTH_FIRST_CSV, TRUTH_FIRST), (TRUTH_LAST_CSV, TRUTH_LAST)])
def test_a_row_an_item_becomes_predictions_and_counts(
    tmp_path: Path, text: str, layout: Layout, line_end: str, mark: bytes
) -> None:
    assert read(tmp_path, mark + text.replace("\n", line_end).encode(), layout) == (PREDICTIONS, COUNTS)


def test_the_long_layout_keeps_probabilities(tmp_path: Path) -> None:
    assert read(tmp_path, PROBABILITIES_CSV, LONG) == (
        [
            ("f.csv", 1, "a", "0", "cat", 0.75),
            ("f.csv", 2, "a", "0", "dog", 0.25),
            ("f.csv", 3, "a", "1", "cat", 1.0),
            ("f.csv", 4, "a", "1", "dog", 0.0),
            ("f.csv", 5, "a", "2", "cat", 0.5),
            ("f.csv", 6, "a", "2", "dog", 0.5),
        ],
        [],
    )


def test_chosen_labels_have_no_probability(tmp_path: Path) -> None:
    rows, _ = read(tmp_path, CHOSEN_CSV, LONG)
    assert rows[0] == ("f.csv", 1, "a", "0", "cat", None) and len(rows) == 6


def test_the_seed_may_name_the_one_model_of_a_long_file(tmp_path: Path) -> None:
    text = "label,item_id\ncat,2\ndog,1\ncat,0\n"
    rows, _ = read(tmp_path, text, LONG_OF_ONE)
    assert rows[0] == ("f.csv", 1, "net", "2", "cat", None)
    assert "has the unknown column 'model_id'" in refusal(tmp_path, CHOSEN_CSV, LONG_OF_ONE)
    assert "lacks the column 'model_id'" in refusal(tmp_path, text, LONG)


def test_labels_with_quotation_marks(tmp_path: Path) -> None:
    odd = replace(TRUTH_FIRST, labels=('the "cat"', "dog's"))
    rows, counts = read(tmp_path, TRUTH_FIRST_CSV, odd)
    assert {row[4] for row in rows} == {row[3] for row in counts} == set(odd.labels)


# --- what is refused -------------------------------------------------------------------------------------------------


def line(number: int, new: str) -> Callable[[str], str]:
    """Put another text on a line, counted from 1."""

    def change(text: str) -> str:
        lines = text.splitlines()
        lines[number - 1 : number] = [new] if new else []
        return "\n".join(lines) + "\n"

    return change


def add(new: str) -> Callable[[str], str]:
    return lambda text: text + new + "\n"


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (line(1, "item,model_id,label,probability"), "header: lacks the column 'item_id' and has the unknown"),
        (line(1, "item_id,model_id,label,p"), "header: has the unknown column 'p'"),
        (line(3, "0,a,dog"), "row 2: 3 values where the header has 4"),
        (line(3, "0,a,dog,0.25,1"), "row 2: 5 values where the header has 4"),
        (line(3, "0,a,dog,"), "row 2, column probability: no value is not a number"),
        (line(3, "0,a,dog,many"), "row 2, column probability: 'many' is not a number"),
        (line(3, "0,a,dog,nan"), "row 2, column probability: 'nan' is not a number"),
        (line(3, "0,a,dog,inf"), "row 2, column probability: 'inf' is not a number"),
        (line(3, "0,a,dog,1e999"), "row 2, column probability: '1e999' is not a number"),
        (line(3, "0,a,Dog,0.25"), "row 2, column label, value 'Dog': the data set has no such label"),
        (line(3, "0,a,,0.25"), "row 2, column label, value no value: every row needs a label"),
        (line(3, "0,,dog,0.25"), "row 2, item_id 0, column model_id, value no value"),
        (line(3, ",a,dog,0.25"), "row 2, model_id 'a', column item_id, value no value"),
        (line(3, "3,a,dog,0.25"), "row 2, model_id 'a', column item_id, value 3: the data set has no such item"),
        (line(3, "00,a,dog,0.25"), "row 2, model_id 'a', column item_id, value 00: the data set has no such item"),
        (line(3, "0,a,cat,0.25"), "row 2, model_id 'a', item_id 0, column rows, value 2, column labels, value 1"),
        (add("1,a,dog,0"), "row 7, model_id 'a', item_id 1, column rows, value 3, column labels, value 2"),
        (line(5, ""), "row 3, model_id 'a', item_id 1, column rows, value 1, column labels_wanted, value 2"),
        (add("0,b,cat,1\n0,b,dog,0"), "f.csv, model_id 'b', item_id 1, column rows, value 0: a model needs pred"),
        (lambda text: line(6, "")(line(6, "")(text)), "f.csv, model_id 'a', item_id 2, column rows, value 0"),
        (
            lambda text: line(3, "0,a,dog,-0.25")(line(2, "0,a,cat,1.25")(text)),
            "row 2, model_id 'a', item_id 0, column lowest_probability, value -0.25: probabilities can't be negative",
        ),
        (line(2, "0,a,cat,0.739"), "row 1, model_id 'a', item_id 0, column probability_sum, value 0.989"),
        (line(2, "0,a,cat,0.761"), "row 1, model_id 'a', item_id 0, column probability_sum, value 1.011"),
        (lambda text: text.split("\n")[0] + "\n", "holds a header but no rows"),
    ],
)
def test_bad_probabilities_are_refused(tmp_path: Path, change: Callable[[str], str], fragment: str) -> None:
    assert fragment in refusal(tmp_path, change(PROBABILITIES_CSV), LONG)


def test_sums_may_be_off_by_a_hundredth(tmp_path: Path) -> None:
    for probability in ("0.74", "0.76"):
        read(tmp_path, line(2, f"0,a,cat,{probability}")(PROBABILITIES_CSV), LONG)


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (add("1,b,cat"), "row 7, model_id 'b', item_id 1, column rows, value 2, column labels, value 1"),
        (add("1,b,dog"), "row 7, model_id 'b', item_id 1, column rows, value 2, column labels_wanted, value 1"),
        (line(7, ""), "f.csv, model_id 'b', item_id 2, column rows, value 0: a model needs predictions for every item"),
        (line(7, "2,b,wolf"), "row 6, column label, value 'wolf': the data set has no such label"),
        (line(7, "17,b,cat"), "row 6, model_id 'b', column item_id, value 17: the data set has no such item"),
    ],
)
def test_bad_choices_are_refused(tmp_path: Path, change: Callable[[str], str], fragment: str) -> None:
    assert fragment in refusal(tmp_path, change(CHOSEN_CSV), LONG)


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (line(1, "0,5,1,0.75"), "row 1: 4 values where there must be 5"),
        (line(2, "1,0,4,0,1,0"), "row 2: 6 values where there must be 5"),
        (line(1, "true,cat,dog,p1,p2"), "row 1, column 1 (true label): 'true' is not a whole number"),
        (line(2, "1,0,4.5,0,1"), "row 2, column 3 (votes for dog): '4.5' is not a whole number"),
        (line(2, "1,0,,0,1"), "row 2, column 3 (votes for dog): no value is not a whole number"),
        (line(2, "1,0,-4,0,1"), "row 2, item_id 1, column lowest_votes, value -4: votes can't be negative"),
        (line(2, "1,0,4,nan,1"), "row 2, column 4 (probability of cat): 'nan' is not a number"),
        (line(2, "1,0,4,0,-inf"), "row 2, column 5 (probability of dog): '-inf' is not a number"),
        (line(2, "1,0,4,-0.5,1.5"), "row 2, model_id 'net', item_id 1, column lowest_probability, value -0.5"),
        (line(2, "1,0,4,0,0.98"), "row 2, model_id 'net', item_id 1, column probability_sum, value 0.98"),
        (line(2, "2,0,4,0,1"), "row 2, item_id 1, column true_label, value 2: labels are numbered from 0 to 1"),
        (line(2, "-1,0,4,0,1"), "row 2, item_id 1, column true_label, value -1: labels are numbered from 0 to 1"),
        (line(3, ""), "f.csv, model_id 'net', item_id 2, column rows, value 0: a model needs predictions"),
        (add("0,1,1,0.5,0.5"), "row 4, model_id 'net', column item_id, value 3: the data set has no such item"),
        (add('0,1,1,0.5,"0.5'), "row 4: a quotation mark that doesn't close"),
        (add("0,1,1,0.5,\0"), "row 4: a NUL byte"),
        (lambda _: "", "f.csv holds no rows"),
    ],
)
def test_bad_rows_of_items_are_refused(tmp_path: Path, change: Callable[[str], str], fragment: str) -> None:
    assert fragment in refusal(tmp_path, change(TRUTH_FIRST_CSV), TRUTH_FIRST)


def test_true_labels_may_be_counted_from_one(tmp_path: Path) -> None:
    for label in ("0", "3"):
        sentence = refusal(tmp_path, line(2, f"0,4,0,1,{label}")(TRUTH_LAST_CSV), TRUTH_LAST)
        assert f"row 2, item_id 1, column true_label, value {label}: labels are numbered from 1 to 2" in sentence


def test_one_layout_is_not_taken_for_the_other(tmp_path: Path) -> None:
    refusal(tmp_path, TRUTH_FIRST_CSV, TRUTH_LAST)
    refusal(tmp_path, TRUTH_LAST_CSV, TRUTH_FIRST)


# --- the seeds -------------------------------------------------------------------------------------------------------


def seeds(folder: Path, model_file: str) -> Path:
    for name in ("labels", "datasets"):
        shutil.copy(PROJECT / "seeds" / f"{name}.csv", folder)
    (folder / "model_files.csv").write_text(f"file_name,dataset_id,model_set,model_id,layout\n{model_file}\n")
    return folder


def test_the_seeds_tell_the_layout(tmp_path: Path) -> None:
    layout = layout_of(source(), seeds(tmp_path, "f.csv,demo,mine,net,counts_probabilities_true_label_from_1"))
    assert layout.labels[:2] == ("airplane", "automobile") and layout.model_id == "net"
    assert layout.parameters == {"first_label": 1, "last_label": 10, "items": 400}
    ferplus = layout_of(source(), seeds(tmp_path, "f.csv,ferplus,mine,,long"))
    assert "items" not in ferplus.parameters and len(ferplus.labels) == 8


@pytest.mark.parametrize(
    ("row", "fragment"),
    [
        ("g.csv,demo,mine,,long", "seeds/model_files.csv has 0 rows for it"),
        ("f.csv,demo,mine,,long\nf.csv,demo,mine,,long", "seeds/model_files.csv has 2 rows for it"),
        ("f.csv,demo,mine,,wide", "has the layout 'wide': write one of long, true_label_counts_probabilities"),
        ("f.csv,demo,mine", "has the layout '': write one of"),
        ("f.csv,demo,,,long", "names no model_set"),
        ("f.csv,demo,mine,,true_label_counts_probabilities", "names no model_id"),
        ("f.csv,nowhere,mine,,long", "the data set 'nowhere', which has no labels in seeds/labels.csv"),
    ],
)
def test_seeds_that_do_not_tell_are_one_sentence(tmp_path: Path, row: str, fragment: str) -> None:
    with pytest.raises(LandingError) as refused:
        layout_of(source(), seeds(tmp_path, row))
    assert str(refused.value).startswith("f.csv") and fragment in str(refused.value)


def test_other_raw_tables_need_a_reader(tmp_path: Path) -> None:
    with pytest.raises(LandingError, match=r"it lands in 'votes', and nothing says how to read it"):
        layout_of(source(raw_table="votes"), seeds(tmp_path, "f.csv,demo,mine,,long"))


def test_all_but_two_columns_may_stay_empty(tmp_path: Path) -> None:
    path = tmp_path / "source_files.csv"
    header = "file_name,raw_table,address,sha256,bytes,max_bytes,licence,citation\n"
    path.write_text(header + "f.csv,model_predictions,,,,,,\ng.csv,model_predictions\n")
    first, second = read_declared(path)
    assert first == source(max_bytes=DEFAULT_MAX_BYTES) and second == replace(first, file_name="g.csv")
    path.write_text(header + "f.csv,model_predictions,,,1 MB,,,\n")
    with pytest.raises(LandingError, match=r"f\.csv, column bytes: '1 MB' is no number of bytes"):
        read_declared(path)


# --- the command -----------------------------------------------------------------------------------------------------


@dataclass
class Command:
    """Landing in this process, on small files that are declared for the test."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    out: str = ""
    err: str = ""

    def declare(self, *files: SourceFile, layout: Layout = LONG) -> None:
        self.monkeypatch.setattr(land, "read_declared", lambda: list(files))
        for file in files:
            self.monkeypatch.setitem(LAYOUTS, file.file_name, layout)

    def write(self, text: str, file_name: str = "f.csv") -> None:
        (self.folder / "raw").mkdir(exist_ok=True)
        (self.folder / "raw" / file_name).write_text(text)

    def __call__(self, *arguments: str) -> int:
        code = land.main(list(arguments))
        self.out, self.err = self.capsys.readouterr()
        return code

    def statuses(self) -> dict[str, str]:
        return dict(row.split()[:2] for row in self.out.splitlines()[1:] if row.split()[0].endswith(".csv"))

    def query(self, sql: str) -> Rows:
        with duckdb.connect(str(self.folder / "work.duckdb")) as connection:
            return connection.execute(sql).fetchall()

    def everything(self) -> list[Rows]:
        tables = ("model_predictions", "model_human_counts", "landed_files")
        return [self.query(f"from raw.{table} order by all") for table in tables]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    for variable in ("MIRROR", "ALLOW_UNVERIFIED", "BASE_URL"):
        monkeypatch.delenv(f"DISSENT_{variable}", raising=False)
    monkeypatch.setenv("DISSENT_OFFLINE", "1")
    monkeypatch.setenv("DISSENT_RAW_FOLDER", str(tmp_path / "raw"))
    monkeypatch.setenv("DISSENT_WORK_DATABASE", str(tmp_path / "work.duckdb"))
    made = Command(tmp_path, monkeypatch, capsys)
    made.declare(source())
    return made


@pytest.mark.parametrize("offline", ["0", "1"])
def test_a_file_without_an_address_is_optional(command: Command, offline: str) -> None:
    command.monkeypatch.setenv("DISSENT_OFFLINE", offline)
    assert command() == 0
    assert [row.split() for row in command.out.splitlines()[1:]] == [["f.csv", "optional", "-", "-", "-"]]
    assert command.err == "" and not (command.folder / "work.duckdb").exists()


def test_a_file_without_a_declared_hash_lands_and_says_so(command: Command) -> None:
    command.write(CHOSEN_CSV)
    assert command() == 0
    assert re.search(r"^f\.csv +landed +6 +UNVERIFIED \(no declared hash\) +data/raw$", command.out, re.MULTILINE)
    assert command.query("select is_verified, rows from raw.landed_files") == [(False, 6)]
    assert command() == 0
    assert command.statuses() == {"f.csv": "unchanged"} and "UNVERIFIED (no declared hash)" in command.out
    command.write(CHOSEN_CSV.replace("2,a,dog", "2,a,cat"))
    assert command() == 0 and command.statuses() == {"f.csv": "landed"}
    (command.folder / "raw" / "f.csv").unlink()
    for arguments in ([], ["--refresh"]):
        assert command(*arguments) == 0 and command.statuses() == {"f.csv": "kept"}


def test_a_hash_declared_later_verifies_the_file(command: Command) -> None:
    command.write(CHOSEN_CSV)
    command()
    command.declare(source(sha256=hashlib.sha256(CHOSEN_CSV.encode()).hexdigest()))
    assert command() == 0 and command.statuses() == {"f.csv": "landed"}
    assert command.query("select is_verified from raw.landed_files") == [(True,)]
    command.declare(source(sha256="0" * 64))
    assert command() == 1 and "DISSENT_ALLOW_UNVERIFIED" in command.err


def test_a_declared_size_counts_without_a_hash(command: Command) -> None:
    command.write(CHOSEN_CSV)
    command.declare(source(bytes=len(CHOSEN_CSV) + 1))
    assert command() == 1 and command.statuses() == {"f.csv": "refused"}
    command.declare(source(bytes=len(CHOSEN_CSV)))
    assert command() == 0 and command.statuses() == {"f.csv": "landed"}


def test_a_file_replaces_its_own_rows_only(command: Command) -> None:
    command.declare(source(), source("g.csv"), layout=TRUTH_FIRST)
    command.write(TRUTH_FIRST_CSV)
    command.write(TRUTH_FIRST_CSV, "g.csv")
    assert command() == 0
    command.write(line(1, "0,9,0,1,0")(TRUTH_FIRST_CSV))
    assert command() == 0 and command.statuses() == {"f.csv": "landed", "g.csv": "unchanged"}
    own = "select item_id, label, {} from raw.{} where file_name = '{}' order by all"
    assert command.query(own.format("votes", "model_human_counts", "f.csv"))[:2] == [("0", "cat", 9), ("0", "dog", 0)]
    assert command.query(own.format("votes", "model_human_counts", "g.csv"))[:2] == [("0", "cat", 5), ("0", "dog", 1)]
    for name, probability in (("f.csv", 1.0), ("g.csv", 0.75)):
        rows = command.query(own.format("probability", "model_predictions", name))
        assert rows[0] == ("0", "cat", probability) and len(rows) == 6


def test_a_refused_file_leaves_everything(command: Command) -> None:
    command.declare(source(), source("g.csv"), layout=TRUTH_FIRST)
    command.write(TRUTH_FIRST_CSV)
    command.write(TRUTH_FIRST_CSV, "g.csv")
    command()
    before = command.everything()
    command.write(line(3, "0,2,2,0.5,0.6")(TRUTH_FIRST_CSV))
    assert command() == 1
    (sentence,) = [row for row in command.err.splitlines() if not row.endswith("...")]
    assert sentence.startswith("refused: f.csv, row 3, model_id 'net', item_id 2, column probability_sum, value 1.1: ")
    assert command.everything() == before


def test_counts_leave_with_the_layout_that_carried_them(command: Command) -> None:
    command.declare(source(), layout=TRUTH_FIRST)
    command.write(TRUTH_FIRST_CSV)
    command()
    assert command.query("select count(*) from raw.model_human_counts") == [(6,)]
    command.declare(source(), layout=LONG)
    command.write(CHOSEN_CSV)
    assert command() == 0
    assert command.query("select count(*) from raw.model_human_counts") == [(0,)]


def test_predictions_wait_until_the_items_are_known(command: Command) -> None:
    """Where the declaration doesn't number the items, those of the last build count."""
    unnumbered = replace(LONG, parameters={})
    command.declare(source(), layout=unnumbered)
    command.write(CHOSEN_CSV)
    assert command() == 0 and command.statuses() == {"f.csv": "waiting"}
    assert "the items of pets are not known before its votes have landed and were built" in command.err
    command.query("create schema marts")
    command.query(
        "create table marts.items as select 'pets' as dataset_id, panel, item_id from (values ('all'), ('attentive')) "
        "as panels(panel), (values ('0'), ('1'), ('2'), ('three')) as items(item_id)"
    )
    command.query("insert into marts.items values ('plants', 'all', 'of another data set')")
    assert command() == 1 and "model_id 'a', item_id 'three', column rows, value 0" in command.err
    command.query("delete from marts.items where item_id = 'three'")
    assert command() == 0 and command.statuses() == {"f.csv": "landed"}


def test_two_seed_rows_are_all_a_file_of_ones_own_needs(tmp_path: Path) -> None:
    """A copy of the project, two rows more in its seeds, and no code."""
    project = tmp_path / "project"
    for folder in ("scripts", "seeds", "expectations", "models/staging"):
        shutil.copytree(PROJECT / folder, project / folder, ignore=shutil.ignore_patterns("__pycache__"))
    with (project / "seeds" / "source_files.csv").open("a") as handle:
        handle.write("mine.csv,model_predictions,,,,,,\n")
    with (project / "seeds" / "model_files.csv").open("a") as handle:
        handle.write("mine.csv,demo,my_models,,long\n")
    labels = layout_of(next(file for file in read_declared() if file.file_name == "resnet-110.csv")).labels
    build = Build(tmp_path, project=project, extra={"DISSENT_OFFLINE": "1"})
    (tmp_path / "raw").mkdir()
    with (tmp_path / "raw" / "mine.csv").open("w") as handle:
        handle.write("item_id,model_id,label,probability\n")
        handle.writelines(f"{item},m,{label},0.1\n" for item in range(400) for label in labels)
    landed = build.land()
    assert landed.returncode == 0, landed.stderr
    assert re.search(r"^mine\.csv +landed +4,000 +UNVERIFIED \(no declared hash\)", landed.stdout, re.MULTILINE)
    assert "missing: cifar10h-raw.zip" in landed.stdout and "paper-models" not in landed.stdout.split("missing:")[1]
    with duckdb.connect(str(build.work), read_only=True) as connection:
        rows = connection.execute("select count(distinct item_id), sum(probability) from raw.model_predictions")
        assert rows.fetchall() == [(400, pytest.approx(400))]


# --- the real files --------------------------------------------------------------------------------------------------

CNNS = {
    "resnet-110": (0.3691, 0.3496),
    "preresnet-110": (0.3314, 0.3167),
    "densenet-bc-L190-k40": (0.2793, 0.2640),
    "weak-resnet": (0.3410, 0.3192),
}


@pytest.mark.slow
def test_exact_profiles_of_the_four_cnns(built: Build) -> None:
    rows = built.query(
        "select panel, rule_id, agreement, human_only, model_only, mutual, models, items from profile_sweep"
        " where dataset_id = 'cifar10h' and model_set = 'four_cnns' and rule_id in ('any_vote', 'two_votes')"
        " and panel in ('all', 'attentive') order by all"
    )
    assert rows == [
        ("all", "any_vote", 3_323, 5_299, 242, 1_136, 4, 10_000),
        ("all", "two_votes", 6_746, 1_876, 637, 741, 4, 10_000),
        ("attentive", "any_vote", 4_103, 4_519, 290, 1_088, 4, 10_000),
        ("attentive", "two_votes", 6_831, 1_791, 655, 723, 4, 10_000),
    ]
    independent = built.query(
        "select round(human_only_if_independent) from profile_sweep where dataset_id = 'cifar10h'"
        " and model_set = 'four_cnns' and rule_id = 'any_vote' and panel = 'attentive'"
    )
    assert independent == [(4_834,)]


@pytest.mark.slow
def test_rank_correlations_of_the_four_cnns(built: Build) -> None:
    rows = built.query(
        "select model_id, panel, round(rho_predictive_entropy, 4) from uncertainty_correlation"
        " where dataset_id = 'cifar10h' and model_set = 'four_cnns' and panel in ('all', 'attentive')"
        " and model_id != 'mean of models'"
    )
    expected = {
        (model, panel, rho)
        for model, rhos in CNNS.items()
        for panel, rho in zip(("attentive", "all"), rhos, strict=True)
    }
    assert set(rows) == expected


def average_ranks(values: Any) -> Any:
    """Ranks from 1; equal values share the mean of theirs."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]


@pytest.mark.slow
def test_rank_correlations_against_numpy(built: Build, mirror: Path) -> None:
    """Vote entropy has thousands of ties; both uncertainties, each model and the mean of them, both panels."""
    labels = [
        str(row[0]) for row in built.query("select label from labels where dataset_id='cifar10h' order by label_order")
    ]
    entropies = {}
    for panel in ("attentive", "all"):
        counts = np.zeros((10_000, 10))
        for item, label, votes in built.query(
            f"select item_id, label, votes from vote_counts where dataset_id = 'cifar10h' and panel = '{panel}'"
        ):
            counts[int(str(item)), labels.index(str(label))] = float(str(votes))
        share = counts / counts.sum(axis=1, keepdims=True)
        entropies[panel] = np.round(entropy(share) / np.log(10), 12)
    confidences, predictive = [], []
    with (PROJECT / "seeds" / "model_files.csv").open(newline="") as handle:
        files = [row for row in csv.DictReader(handle) if row["model_set"] == "four_cnns"]
    for file in files:
        table = np.loadtxt(next(mirror.rglob(file["file_name"])), delimiter=",")
        first = 11 if file["layout"] == "true_label_counts_probabilities" else 10
        probabilities = table[:, first : first + 10]
        confidences.append(probabilities.max(axis=1))
        predictive.append(entropy(probabilities))
    models = [file["model_id"] for file in files] + ["mean of models"]
    confidences.append(np.mean(confidences, axis=0))
    predictive.append(np.mean(predictive, axis=0))
    found = {
        (model, panel): (confidence, uncertainty)
        for model, panel, confidence, uncertainty in built.query(
            "select model_id, panel, rho_confidence, rho_predictive_entropy from uncertainty_correlation"
            " where dataset_id = 'cifar10h' and model_set = 'four_cnns' and panel in ('all', 'attentive')"
        )
    }
    assert len(found) == 10
    for (name, of_panel), rhos in found.items():
        index = models.index(str(name))
        expected = [
            np.corrcoef(average_ranks(values), average_ranks(entropies[str(of_panel)]))[0, 1]
            for values in (confidences[index], predictive[index])
        ]
        assert rhos == pytest.approx(expected, abs=1e-6)


def entropy(shares: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(shares > 0, shares * np.log(shares), 0).sum(axis=1)


@pytest.mark.slow
def test_the_four_cnns_do_not_resolve_the_forecasts(built: Build) -> None:
    undecided = "lapsed" if date.today() > date(2027, 6, 30) else "open"
    assert set(built.query("select forecast_id, status, observed_pct from forecasts")) == {
        ("filtered_counts", undecided, None),
        ("two_votes", undecided, None),
    }
    rows = built.query(
        "select forecast_id, model_set, models, observed_pct, flipped_items, unanimous_items,"
        " round(models_unanimous_on_flipped_pct, 1), round(models_unanimous_on_unanimous_pct, 1)"
        " from forecast_proxies order by forecast_id"
    )
    assert rows == [
        ("filtered_counts", "four_cnns", 4, pytest.approx(45.19), 828, 3_565, 94.2, 93.2),
        ("two_votes", "four_cnns", 4, pytest.approx(17.91), 828, 3_565, 94.2, 93.2),
    ]


PAPER_MODELS = (
    "ResNet-18",
    "ResNet-34",
    "ResNet-50",
    "EfficientNet-B0",
    "EfficientNet-B1",
    "EfficientNet-B2",
    "MobileNetV3 Small",
    "MobileNetV3 Large",
)


@pytest.mark.slow
def test_predictions_of_the_papers_models_resolve_the_forecasts(built: Build, tmp_path: Path) -> None:
    """A file in data/raw and a build, nothing else; all eight agree, but on every third item one doesn't."""
    build = Build(tmp_path, extra=built.extra)
    shutil.copy(built.work, build.work)
    (tmp_path / "raw").mkdir()
    with (tmp_path / "raw" / "paper-models-cifar10h.csv").open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["item_id", "model_id", "label"])
        for model in PAPER_MODELS:
            odd = model == "MobileNetV3 Small"
            writer.writerows([item, model, "dog" if odd and item % 3 == 0 else "cat"] for item in range(10_000))
    landed = build.land()
    assert landed.returncode == 0, landed.stderr
    assert re.search(r"^paper-models-cifar10h\.csv +landed +80,000 +UNVERIFIED", landed.stdout, re.MULTILINE)
    made = build.dbt("build")
    assert made.returncode == 0, made.stdout + made.stderr
    expected = built.query(
        "select count(*) filter (where second_votes >= 1) / 100.0, count(*) filter (where second_votes >= 2) / 100.0"
        " from items where dataset_id = 'cifar10h' and panel = 'attentive' and item_id::bigint % 3 != 0"
    )
    statuses = build.query("select forecast_id, status, observed_pct, models_needed from forecasts order by 1")
    assert statuses == [
        ("filtered_counts", "held", pytest.approx(expected[0][0]), 8),
        ("two_votes", "held", pytest.approx(expected[0][1]), 8),
    ]
    assert build.query("select distinct model_set from forecast_proxies") == [("four_cnns",)]
    assert build.query("select distinct model_set from uncertainty_correlation") == [("four_cnns",)]
