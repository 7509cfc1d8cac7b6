"""The public vote files of other shapes, added, built in one dbt build and removed again: their reference figures."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from conftest import Build, copied_project

from scripts.pseudonyms import pseudonym

pytestmark = pytest.mark.slow

# Runs a command many times in one process, which is quicker than as many processes.
IN_TURN = (
    "import json, sys; from scripts import {module} as command; "
    "sys.exit(max(map(command.main, json.loads(sys.argv[1]))))"
)
KEY = "the key of the pseudonyms in this test"
REPEATS = ("--repeats", "count_all")
# Data set -> its file and the choices that the reference figures are computed with.
FILES: dict[str, tuple[str, tuple[str, ...]]] = {
    "rte": ("rte.standardized.tsv", ("--licence", "MIT", "--unit", "pair of sentences")),
    "temporal": ("temp.standardized.tsv", ()),
    "wsd": ("wsd.standardized.tsv", ()),
    "anesthesia": ("anesthesia_long.csv", REPEATS),
    "anesthesia_last": ("anesthesia_long.csv", ("--repeats", "keep_last")),
    "fleiss1971": ("fleiss1971.csv", ()),
    "diagnoses": ("diagnoses_wide.csv", ()),
    "gwet2014": ("gwet2014.csv", ()),
    "krippendorff": ("krippendorff_answers.json", ("--allow", "items_without_votes")),
    "google_kg": ("google_kg_institution.csv.gz", REPEATS),
    "adult2": ("adult2_labels.tsv", (*REPEATS, "--true-label-file", "adult2_gold.tsv")),
    "adult2_gold": (
        "adult2_labels.tsv",
        (*REPEATS, "--true-label-file", "adult2_gold.tsv", "--gold-items", "--pass-pct", "60"),
    ),
    "davidson": ("davidson_counts.csv", ()),
    "sentimp": ("sentimp_es.csv", ()),
    "sentimp_no_x": ("sentimp_es.csv", ("--abstain", "x")),
}
RULES = ("any_vote", "two_votes", "share_10", "share_20", "share_30")
# Items, annotators, votes; divided % under RULES; mean H/ln K; alpha. As many decimals as are published.
REFERENCE: dict[str, tuple[tuple[int, int | None, int], tuple[str, ...], str, str]] = {
    "rte": ((800, 164, 8_000), ("90.25", "74.0", "90.25", "74.0", "49.25"), ".7171", ".2415"),
    "temporal": ((462, 76, 4_620), ("98.2684", "78.7879", "98.2684", "78.7879", "52.8139"), ".7568", ".2234"),
    "wsd": ((177, 34, 1_770), ("10.7345", "1.1299", "10.7345", "1.1299", ".565"), ".0372", ".9372"),
    "anesthesia": ((45, 5, 315), ("64.4444", "26.6667", "64.4444", "26.6667", "8.8889"), ".2679", ".5858"),
    "anesthesia_last": ((45, 5, 225), ("55.5556", "17.7778", "55.5556", "55.5556", "17.7778"), ".2648", ".5538"),
    "fleiss1971": ((30, None, 180), ("83.3", "50", "83.3", "50", "50"), ".359", ""),
    "diagnoses": ((30, 6, 180), ("83.3", "50", "83.3", "50", "50"), ".359", ""),
    "krippendorff": ((13, 3, 27), (), "", ".6914"),
    "google_kg": ((42_624, 57, 216_725), ("27.8", "12.1", "27.8", "26.6", "12.0"), ".146", ""),
    "adult2": ((11_040, 825, 92_721), ("53.6", "29.7", "51.5", "32.6", "19.1"), ".253", ""),
    "davidson": ((24_783, None, 80_383), ("29.5", ".9", "29.5", "27.4", "27.0"), ".168", ""),
    "sentimp": ((500, 5, 2_496), ("56", "22.4", "56", "56", "22.4"), ".271", ""),
    "sentimp_no_x": ((497, 5, 2_375), ("47.3",), "", ""),
}


def tree_of(project: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(project)): path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def brought(tmp_path_factory: pytest.TempPathFactory, mirror: Path) -> Build:
    """A copy of the project with every file added, landed and built at once."""
    folder = mirror / "byo"
    if not folder.is_dir():
        pytest.skip("the mirror has no folder byo")
    build = copied_project(tmp_path_factory.mktemp("brought"))
    build = replace(build, extra={**build.extra, "DISSENT_PSEUDONYM_KEY": KEY})
    before = tree_of(build.project)
    commands = [
        [str(folder / file_name), "--name", name]
        + [str(folder / flag) if (folder / flag).is_file() else flag for flag in flags]
        for name, (file_name, flags) in FILES.items()
    ]
    added = build.run("python", "-c", IN_TURN.format(module="add"), json.dumps(commands))
    assert added.returncode == 0, added.stderr
    landed = build.land()
    assert landed.returncode == 0, landed.stderr
    made = build.dbt("build", "--warn-error")
    assert made.returncode == 0, made.stdout + made.stderr
    assert "annotator ids as pseudonyms in adult2, " in made.stdout and KEY not in made.stdout + made.stderr
    added_tree = tree_of(build.project)

    again = build.run("python", "-m", "scripts.add", str(folder / "fleiss1971.csv"), "--name", "rte")
    assert again.returncode == 1 and "make remove NAME=rte" in again.stderr
    assert tree_of(build.project) == added_tree

    commands = [["--name", name] for name in FILES]
    removed = build.run("python", "-c", IN_TURN.format(module="remove"), json.dumps(commands))
    assert removed.returncode == 0, removed.stderr
    assert tree_of(build.project) == before
    assert build.run("python", "-m", "scripts.remove", "--name", "demo").returncode == 1
    with duckdb.connect(str(build.work), read_only=True) as connection:
        left = connection.execute(
            "select table_name from information_schema.tables where regexp_matches(table_name, $1)",
            [f"^(stg_)?({'|'.join(FILES)})(__|$)"],
        ).fetchall()
        assert left == []
        assert connection.execute("select file_name from raw.landed_files").fetchall() == [("demo-raw.csv",)]
    assert [path.name for path in (build.folder / "raw").iterdir()] == ["demo-raw.csv"]
    return build


def row(build: Build, sql: str) -> tuple[Any, ...]:
    (found,) = build.query(sql)
    return found


def alpha(build: Build, name: str) -> float:
    """Krippendorff's nominal alpha from the published counts, by its definition."""
    items: dict[str, Counter[str]] = {}
    for item, label, votes in build.query(
        f"select item_id, label, votes from vote_counts where dataset_id = '{name}' and panel = 'all'"
    ):
        items.setdefault(str(item), Counter())[str(label)] = int(str(votes))
    pairable = [counts for counts in items.values() if counts.total() > 1]
    totals: Counter[str] = sum(pairable, Counter())
    n = totals.total()
    observed = sum((c.total() ** 2 - sum(v * v for v in c.values())) / (c.total() - 1) for c in pairable)
    return 1 - (n - 1) * observed / (n * n - sum(v * v for v in totals.values()))


def same(found: float, published: str) -> bool:
    decimals = len(published.partition(".")[2])
    return bool(abs(found - float(published)) <= 0.5 / 10**decimals + 1e-9)


@pytest.mark.parametrize("name", REFERENCE)
def test_reference_figures(brought: Build, name: str) -> None:
    numbers, divided, entropy, published_alpha = REFERENCE[name]
    of = f"dataset_id = '{name}' and panel = 'all'"
    assert row(brought, f"select items, annotators, votes from panels where {of}") == numbers
    for rule, published in zip(RULES, divided, strict=False):
        (found,) = row(brought, f"select divided_pct from threshold_sweep where {of} and rule_id = '{rule}'")
        assert same(found, published), (rule, found)
    if entropy:
        (found,) = row(brought, f"select mean_normalised_entropy from panels where {of}")
        assert same(found, entropy), found
    if published_alpha:
        (found,) = row(brought, f"select krippendorff_alpha from agreement where {of}")
        assert same(found, published_alpha) and abs(found - alpha(brought, name)) < 1e-9
    assert row(brought, f"select provenance from dataset_provenance where dataset_id = '{name}'") == ("verified",)


def test_the_same_data_in_two_shapes(brought: Build) -> None:
    sweep = "select rule_id, items, divided, unanimous from threshold_sweep where dataset_id = '{}' order by 1"
    assert brought.query(sweep.format("fleiss1971")) == brought.query(sweep.format("diagnoses"))
    items = "select item_id, count_pattern from items where dataset_id = '{}' order by 1"
    assert brought.query(items.format("fleiss1971")) == brought.query(items.format("diagnoses"))


def test_gwet_against_an_independent_reader(brought: Build, mirror: Path) -> None:
    with (mirror / "byo" / "gwet2014.csv").open(newline="") as handle:
        _, *lines = csv.reader(handle, delimiter=";")
    expected = Counter((str(n), cell) for n, line in enumerate(lines, start=1) for cell in line if cell != "NA")
    found = brought.query("select item_id, label, votes from vote_counts where dataset_id = 'gwet2014'")
    assert {(item, label): votes for item, label, votes in found} == dict(expected)


def test_dropped_votes_and_items_without_votes(brought: Build) -> None:
    (checks,) = row(brought, "select sum(attention_checks) from annotator_attention where dataset_id = 'adult2_gold'")
    assert checks > 333
    dropped = "select dataset_id, reason, votes from dropped_votes where dataset_id != 'demo' order by 1, 2"
    assert brought.query(dropped) == [
        ("adult2_gold", "attention check", checks),
        ("anesthesia_last", "repeated vote", 90),
        ("gwet2014", "missing", 22),
        ("krippendorff", "missing", 2),
        ("sentimp", "missing", 4),
        ("sentimp_no_x", "abstention", 121),
        ("sentimp_no_x", "missing", 4),
    ]
    assert row(brought, "select items_without_votes from panels where dataset_id = 'krippendorff'") == (2,)
    assert row(brought, "select items_without_votes from panels where dataset_id = 'sentimp_no_x'") == (3,)


def test_gold_items_make_panels_and_true_labels_accuracy(brought: Build) -> None:
    panels = "select panel from panels where dataset_id = 'adult2_gold' order by 1"
    assert brought.query(panels) == [("all",), ("attentive",), ("dropped",)]
    assert (
        row(brought, "select items from panels where dataset_id = 'adult2_gold' and panel = 'all'")[0] == 11_040 - 333
    )
    for name in ("rte", "adult2"):
        (accuracy,) = row(brought, f"select accuracy_pct from panels where dataset_id = '{name}' and panel = 'all'")
        assert 50 < accuracy < 95


def test_ids_and_labels_are_text_as_in_the_file(brought: Build) -> None:
    # Annotators as the work database has them: what is published holds pseudonyms.
    with duckdb.connect(str(brought.work), read_only=True) as connection:
        longest = "select max(length(annotator_id)) from marts.votes where dataset_id = 'google_kg'"
        assert connection.execute(longest).fetchone() == (20,)
    assert brought.query("select distinct label from vote_counts where dataset_id = 'anesthesia' order by 1") == [
        ("1.0",),
        ("2.0",),
        ("3.0",),
        ("4.0",),
    ]


def test_what_the_audit_cannot_tell(brought: Build) -> None:
    limits = "select audit_limit, items_concerned from audit_limits where dataset_id = '{}' order by 1"
    assert brought.query(limits.format("fleiss1971")) == [
        ("no annotators", 30),
        ("no true labels", 30),
        ("ten votes or fewer", 30),
    ]
    assert ("single votes", 1) in brought.query(limits.format("krippendorff"))
    assert ("no attention checks", 800) in brought.query(limits.format("rte"))


def test_no_annotator_is_named_in_what_is_published(brought: Build) -> None:
    with duckdb.connect(str(brought.work), read_only=True) as connection:
        connection.execute(f"attach '{brought.published}' as published (read_only)")
        connection.execute(
            """
            create temporary table ids as
            select distinct dataset_id, annotator_id
            from (
                select dataset_id, annotator_id from marts.votes
                union all
                select dataset_id, annotator_id from marts.annotator_attention
            )
            where dataset_id != 'demo'
            """
        )
        # Ids such as 1 or A are labels and items too; the others, one word each, may be nowhere, in no text either.
        telling = "select annotator_id from ids where regexp_full_match(annotator_id, '\\w{5,}')"
        assert (connection.execute(f"select count(*) from ({telling})").fetchone() or (0,))[0] > 1000
        columns = connection.execute(
            "select table_name, column_name from duckdb_columns()"
            " where database_name = 'published' and data_type = 'VARCHAR'"
        ).fetchall()
        named = [
            (table, column)
            for table, column in columns
            if connection.execute(
                f"select 1 from (select distinct unnest(regexp_extract_all({column}, '\\w+')) as word"
                f" from published.{table}) where word in ({telling}) limit 1"
            ).fetchall()
        ]
        assert named == []
        # Every row is what the models made, with the annotator's pseudonym in place of the id.
        ids = connection.execute("select dataset_id, annotator_id from ids").fetchall()
        connection.execute(
            "create temporary table expected as"
            " select unnest($1) as dataset_id, unnest($2) as annotator_id, unnest($3) as pseudonym",
            [[d for d, _ in ids], [a for _, a in ids], [pseudonym(KEY.encode(), d, a) for d, a in ids]],
        )
        for table in sorted({table for table, column in columns if column == "annotator_id"}):
            sides = (
                f"select own.* replace (pseudonym as annotator_id) from marts.{table} as own"
                " inner join expected using (dataset_id, annotator_id)",
                f"from published.{table} where dataset_id != 'demo'",
            )
            for left, right in (sides, sides[::-1]):
                assert connection.execute(f"({left}) except all ({right}) limit 1").fetchall() == [], table
        unchanged = "select annotator_id from {}.annotator_attention where dataset_id = 'demo' order by all"
        assert (
            connection.execute(unchanged.format("published")).fetchall()
            == connection.execute(unchanged.format("marts")).fetchall()
        )


def test_the_key_of_the_pseudonyms_is_written_nowhere(brought: Build) -> None:
    written = [path for path in brought.folder.rglob("*") if path.is_file()]
    assert {"manifest.json", "dbt.log", "dissent.duckdb", "work.duckdb"} <= {path.name for path in written}
    assert [path for path in written if KEY.encode() in path.read_bytes()] == []


def test_the_published_file_says_whose_ids_are_pseudonyms(brought: Build) -> None:
    with_annotators = {name for name, ((_, annotators, _), *_) in REFERENCE.items() if annotators}
    listed = {str(name): count for name, count in brought.query("from pseudonymised_datasets")}
    assert with_annotators <= set(listed) <= set(FILES)
    assert listed["google_kg"] == 57 and listed["rte"] == 164
    comments = brought.query("select comment from duckdb_columns() where column_name = 'annotator_id'")
    assert len(comments) >= 3
    assert all(
        str(comment).endswith(f"Pseudonyms (keyed hashes) in {', '.join(sorted(listed))}.") for (comment,) in comments
    )
