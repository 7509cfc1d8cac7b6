"""What `make add` writes into the project and `make remove` takes out again: files, rows of seeds, names in variables.

All of it is ordinary dbt that a person may edit: a source, a staging model that calls a documented macro, their
documentation and tests. Removing leaves the tree as it was before.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.landing.declared import PROJECT, LandingError
from scripts.landing.formats import Reading, raw_names

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
# What each macro makes of a row, for the description of the staging model.
SHAPES = {
    "votes_from_long": "a row a vote",
    "votes_from_counts": "a row an item and a column a label with its number of votes",
    "votes_from_annotator_columns": "a row an item and a column an annotator",
    "votes_from_lists": "a row an item and all its votes in one cell",
    "true_labels_from": "a row an item and its true label",
}


@dataclass(frozen=True)
class VoteFile:
    """A file to register: the votes, or the true labels beside them."""

    file_name: str
    sha256: str
    bytes: int
    reading: Reading
    names: list[str]
    macro: str
    arguments: Mapping[str, Any]
    is_copied: bool


@dataclass(frozen=True)
class Registration:
    """A data set to register."""

    name: str
    votes: VoteFile
    true_labels: VoteFile | None = None
    title: str = ""
    unit: str = "item"
    pass_pct: int | None = None
    labels: Sequence[str] = ()
    allowed: Sequence[str] = ()
    licence: str = ""
    citation: str = ""
    cells_per_row: int | None = None
    tree: Path = field(default=PROJECT)


def staging_folder(name: str, tree: Path = PROJECT) -> Path:
    """Where the models of a brought data set lie."""
    return tree / "models" / "staging" / name


def model_text(source: str, table: str, macro: str, arguments: Mapping[str, Any]) -> str:
    """A staging model that calls a macro on a source, an argument a line."""
    lines = [f"    source('{source}', '{table}'),"]
    lines += [f"    {name}={_written(value)}," for name, value in arguments.items()]
    lines[-1] = lines[-1].rstrip(",")
    return "{{ " + macro + "(\n" + "\n".join(lines) + "\n) }}\n"


def _written(value: Any) -> str:
    """A value as Jinja reads it; long lists and maps take a line an entry."""
    if isinstance(value, Mapping):
        entries = [f"{_written(key)}: {_written(entry)}" for key, entry in value.items()]
        brackets = "{}"
    elif isinstance(value, list | tuple):
        entries, brackets = [_written(entry) for entry in value], "[]"
    else:
        return str(value).lower() if isinstance(value, bool) else repr(value)
    flat = brackets[0] + ", ".join(entries) + brackets[1]
    if len(flat) < 80:
        return flat
    return brackets[0] + "".join(f"\n        {entry}," for entry in entries)[:-1] + "\n    " + brackets[1]


def brought_names(tree: Path = PROJECT) -> list[str]:
    """The data sets that were added, in their order."""
    line = re.search(r"^    brought: \[([^\]]*)\]", (tree / "dbt_project.yml").read_text("utf-8"), re.MULTILINE)
    return [name.strip() for name in line[1].split(",") if name.strip()] if line else []


def check_name(name: str, tree: Path = PROJECT) -> None:
    """Raise LandingError for a name that is none, or that something has already."""
    from scripts.landing.brought import reserved_words

    if not NAME.fullmatch(name) or len(name) > 40:
        raise LandingError(
            f"--name {name}: a data set's name is up to 40 lower-case letters, digits and single _, and begins with a "
            "letter: choose such a one"
        )
    if staging_folder(name, tree).exists():
        raise LandingError(
            f"--name {name}: that data set is there already: make remove NAME={name} first, or choose another"
        )
    taken = {row["dataset_id"] for row in _rows(tree / "seeds" / "datasets.csv")}
    taken |= {row["raw_table"] for row in _rows(tree / "seeds" / "source_files.csv")}
    taken |= {path.stem for folder in ("models", "seeds") for path in (tree / folder).rglob("*.*")}
    taken |= {path.name for path in (tree / "models").rglob("*") if path.is_dir()}
    taken |= {"dissent", "landed_files", "model_predictions", "model_human_counts"} | reserved_words()
    if name in taken:
        raise LandingError(f"--name {name}: that name is taken by the project or by SQL: choose another")


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def free_file_name(name: str, path: Path, raw_folder: Path, sha256: str, tree: Path = PROJECT) -> tuple[str, bool]:
    """A name for the file in the folder of raw files, and whether it must be copied there."""
    from scripts.landing.fetch import sha256_of

    declared = {row["file_name"] for row in _rows(tree / "seeds" / "source_files.csv")}
    for candidate in (path.name, f"{name}-{path.name}"):
        there = raw_folder / candidate
        if candidate not in declared and (not there.exists() or (there.is_file() and sha256_of(there) == sha256)):
            return candidate, not there.exists()
    raise LandingError(
        f"{path.name}: that name and {name}-{path.name} are taken in {raw_folder}: rename the file and add it"
    )


def register(registration: Registration, copies: Mapping[Path, Path]) -> list[Path]:
    """Write everything, or nothing: what was there is put back where a step fails. `copies`: vote files to copy,
    by target. Returns the files written or changed."""
    tree, name = registration.tree, registration.name
    folder = staging_folder(name, tree)
    wanted: dict[Path, str] = {
        folder / f"_{name}__sources.yml": _sources(registration),
        folder / f"_{name}__models.yml": _models(registration),
        folder / f"stg_{name}__votes.sql": model_text(
            name, name, registration.votes.macro, registration.votes.arguments
        ),
        tree / "dbt_project.yml": _listed(tree, "brought", name, add=True),
    }
    if registration.true_labels:
        wanted[folder / f"stg_{name}__true_labels.sql"] = model_text(
            name, f"{name}__true_labels", registration.true_labels.macro, registration.true_labels.arguments
        )
        wanted[tree / "dbt_project.yml"] = _listed(
            tree, "brought_true_labels", name, add=True, text=wanted[tree / "dbt_project.yml"]
        )
    for seed, rows in _seed_rows(registration).items():
        wanted[tree / "seeds" / seed] = _appended(tree / "seeds" / seed, rows)
    before = {path: path.read_bytes() if path.exists() else None for path in wanted}
    copied: list[Path] = []
    try:
        for target, origin in copies.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            copied.append(target)
            shutil.copyfile(origin, target)
        for path, text in wanted.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    except OSError as error:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(content)
        for target in copied:
            target.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        raise LandingError(f"{error.filename} can't be written ({error.strerror}): nothing was added") from error
    return list(wanted)


def unregister(name: str, tree: Path = PROJECT) -> list[str]:
    """Take a brought data set out of the tree; returns its file names in the folder of raw files that were copies."""
    import yaml

    folder = staging_folder(name, tree)
    path = folder / f"_{name}__sources.yml"
    tables = yaml.safe_load(path.read_text(encoding="utf-8"))["sources"][0]["tables"] if path.is_file() else []
    metas = {table["name"]: (table.get("config") or {}).get("meta", {}).get("brought") for table in tables}
    if not any(metas.values()):
        added = ", ".join(brought_names(tree)) or "none"
        raise LandingError(f"--name {name}: no data set of that name was added (there is {added}); nothing was removed")
    rows = _rows(tree / "seeds" / "source_files.csv")
    copies = [row["file_name"] for row in rows if (metas.get(row["raw_table"]) or {}).get("copied")]
    text = _listed(tree, "brought", name, add=False)
    texts = {tree / "dbt_project.yml": _listed(tree, "brought_true_labels", name, add=False, text=text)}
    for seed, column, values in (
        ("datasets.csv", "dataset_id", {name}),
        ("labels.csv", "dataset_id", {name}),
        ("source_files.csv", "raw_table", set(metas)),
    ):
        texts[tree / "seeds" / seed] = _without(tree / "seeds" / seed, column, values)
    for changed, content in texts.items():
        changed.write_bytes(content.encode())
    shutil.rmtree(folder)
    return copies


# --- seeds and variables ---------------------------------------------------------------------------------------


def _seed_rows(registration: Registration) -> dict[str, list[list[str]]]:
    name, votes = registration.name, registration.votes
    orders = [int(row["sort_order"]) for row in _rows(registration.tree / "seeds" / "datasets.csv")]
    dataset = {
        "dataset_id": name,
        "title": registration.title or name,
        "unit": registration.unit,
        "votes_file": votes.file_name,
        "attention_pass_pct": "" if registration.pass_pct is None else str(registration.pass_pct),
        "sort_order": str(max(orders, default=0) + 1),
    }
    files = []
    for table, file in ((name, votes), (f"{name}__true_labels", registration.true_labels)):
        if file:
            files.append(
                {
                    "file_name": file.file_name,
                    "raw_table": table,
                    "sha256": file.sha256,
                    "bytes": str(file.bytes),
                    # Room for a newer version of the file, which still has to be allowed by name.
                    "max_bytes": str(max(4 * file.bytes, 1 << 20)),
                    "licence": registration.licence,
                    "citation": registration.citation,
                }
            )
    labels = [
        {"dataset_id": name, "label": label, "label_order": str(order)}
        for order, label in enumerate(registration.labels, start=1)
    ]
    seeds = registration.tree / "seeds"
    rows = {"datasets.csv": [dataset], "source_files.csv": files, "labels.csv": labels}
    return {
        seed: [[row.get(column, "") for column in _header(seeds / seed)] for row in of] for seed, of in rows.items()
    }


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as handle:
        return next(csv.reader(handle))


def _appended(path: Path, rows: list[list[str]]) -> str:
    text = path.read_bytes().decode()
    if rows and not text.endswith("\n"):
        raise LandingError(f"{path.name}: its last line has no end: end it with a line break")
    added = io.StringIO()
    csv.writer(added, lineterminator="\n").writerows(rows)
    return text + added.getvalue()


def _without(path: Path, column: str, values: set[str]) -> str:
    """The seed's text without the records that have one of the values; every other byte stays."""
    position = _header(path).index(column)
    kept, record = [], ""
    for line in path.read_bytes().decode().splitlines(keepends=True):
        record += line
        if record.count('"') % 2:
            continue  # a quoted cell goes on in the next line
        cells = next(csv.reader(io.StringIO(record, newline="")), [])
        if position >= len(cells) or cells[position] not in values:
            kept.append(record)
        record = ""
    return "".join(kept) + record


def _listed(tree: Path, variable: str, name: str, *, add: bool, text: str | None = None) -> str:
    """dbt_project.yml with the name added to, or taken out of, a list of its variables."""
    text = (tree / "dbt_project.yml").read_bytes().decode() if text is None else text
    line = re.search(rf"^(    {variable}: )\[([^\]]*)\]", text, flags=re.MULTILINE)
    if line is None:
        raise LandingError(f"dbt_project.yml: no list '{variable}: []' under vars, dissent: put it back")
    names = [entry.strip() for entry in line[2].split(",") if entry.strip() and entry.strip() != name]
    names += [name] if add else []
    return text[: line.start()] + f"{line[1]}[{', '.join(names)}]" + text[line.end() :]


# --- YAML ------------------------------------------------------------------------------------------------------


def _q(value: object) -> str:
    # A JSON string is a YAML string.
    return json.dumps(str(value), ensure_ascii=False)


def _sources(registration: Registration) -> str:
    name = registration.name
    text = f"""\
# Written by `make add`; how its options are spelled: docs/bring-your-own.md. After a change here:
# python -m scripts.land --refresh
sources:
  - name: {name}
    description: {_q(f"{registration.title or name}: votes brought by `make add`.")}
    schema: raw
    tables:
"""
    for table, file in ((name, registration.votes), (f"{name}__true_labels", registration.true_labels)):
        if not file:
            continue
        reading = file.reading
        options = [f"format: {reading.format}"]
        if reading.format == "csv":
            options.append(f"delimiter: {'tab' if reading.delimiter == chr(9) else _q(reading.delimiter)}")
            options.append(f"quote: {_q(reading.quote) if reading.quote else 'none'}")
            options.append(f"header: {str(reading.has_header).lower()}")
        options.append(f"copied: {str(file.is_copied).lower()}")
        if registration.allowed and file is registration.votes:
            options.append(f"allow: [{', '.join(registration.allowed)}]")
        text += f"""\
      - name: {table}
        description: {_q(f"One row per row of {file.file_name}, {SHAPES[file.macro]}; every cell is text.")}
        config:
          meta:
            brought: {{{", ".join(options)}}}
        columns:
          - {{name: file_row, data_type: bigint, description: "Row of the file, counted from 1."}}
"""
        for raw, in_file in zip(raw_names(file.names), file.names, strict=True):
            described = f"{in_file!r} in the file." if in_file else "A column without a name in the file."
            meta = f", config: {{meta: {{in_file: {_q(in_file)}}}}}" if in_file != raw else ""
            text += f"          - {{name: {raw}, data_type: string, description: {_q(described)}{meta}}}\n"
    return text


_VOTE_COLUMNS = {
    "vote_id": "Place of the vote in the file.",
    "file_row": "Row of the file it comes from.",
    "item_id": "Item, as text.",
    "annotator_id": "Annotator, as text; NULL where the file names none.",
    "label": "Label, as the file spells it; NULL where there is none.",
    "weight": "Votes it stands for; 0 where the file counts none.",
    "true_label": "True label, where the file has one.",
    "is_attention_check": "Whether it answers an attention check.",
    "drop_reason": "Why it is no counted vote; NULL where it is one.",
}


def _models(registration: Registration) -> str:
    name, votes = registration.name, registration.votes
    cells = f"              cells: {registration.cells_per_row}\n" if registration.cells_per_row else ""
    text = f"""\
models:
  - name: stg_{name}__votes
    description: >
      One row per vote of {votes.file_name}, or cell that could have been one, with the reason where it does not count.
    data_tests:
      - primary_key:
          arguments:
            columns: [vote_id]
      - no_row_lost:
          arguments:
            relation: source('{name}', '{name}')
{cells.replace("              ", "            ")}      - holds:
          arguments:
            conditions:
              - item_id is not null
              - weight >= 0
              # An undecided vote waits for an argument of the macro in the model.
              - coalesce(drop_reason, '') not like 'undecided%'
    columns:
"""
    for column, description in _VOTE_COLUMNS.items():
        text += f"      - name: {column}\n        description: {_q(description)}\n"
    if registration.true_labels:
        text += f"""
  - name: stg_{name}__true_labels
    description: >
      One row per item with a true label in {registration.true_labels.file_name}.
    data_tests:
      - primary_key:
          arguments:
            columns: [item_id]
    columns:
      - name: item_id
        description: Item, as the votes name it.
      - name: true_label
        description: True label.
      - name: is_gold_item
        description: Whether votes on the item are attention checks.
"""
    return text
