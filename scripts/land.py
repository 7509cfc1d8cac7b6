"""Land the declared vote files: find, verify, validate, load. `python -m scripts.land --help`.

A landing with nothing to do must be quick: pandas, numpy and Great Expectations are imported only where a file
really is read.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from scripts import build_lock
from scripts.landing import fetch, load
from scripts.landing.declared import PROJECT, LandingError, SourceFile, read_declared
from scripts.landing.layouts import Layout, Shape, layout_of
from scripts.paths import work_database

HELP = """\
Take each declared vote file (seeds/source_files.csv) from data/raw/, else from the folder in DISSENT_MIRROR, else from
its public address; check its size and sha256, validate its content and load it into the work database.
Files that have landed already and did not change are left alone. docs/model-outputs.md tells how to bring predictions.
"""
ENVIRONMENT = """\
environment variables:
  DISSENT_MIRROR            folder to take files from; its subfolders are searched
  DISSENT_ALLOW_UNVERIFIED  comma-separated names of files whose sha256 may differ from the declared one
  DISSENT_OFFLINE           1 = never use the network
  DISSENT_BASE_URL          take the files from this address instead of their own
  DISSENT_DOWNLOAD_TIMEOUT  seconds a download may take (default: 600)
  DISSENT_RAW_FOLDER        folder of files put there by hand or downloaded (default: data/raw in the project)
  DISSENT_WORK_DATABASE     database to load into (default: data/work.duckdb in the project)
"""


@dataclass(frozen=True)
class Settings:
    """What the environment and the command line say."""

    database: Path
    raw_folder: Path
    mirror: Path | None
    allow_unverified: frozenset[str]
    is_offline: bool
    base_url: str | None
    refresh: bool


@dataclass(frozen=True)
class Outcome:
    """One line of the table that landing prints; `reason` says why the file could not be had, without its name."""

    source: SourceFile
    status: str
    record: load.Landed | None = None
    reason: str = ""


def read_settings(sources: list[SourceFile], *, refresh: bool) -> Settings:
    """Settings from the environment; raises LandingError where one makes no sense."""
    known = [source.file_name for source in sources]
    named = (name.strip() for name in os.environ.get("DISSENT_ALLOW_UNVERIFIED", "").split(","))
    allowed = frozenset(name for name in named if name)
    if unknown := sorted(allowed - set(known)):
        raise LandingError(
            f"DISSENT_ALLOW_UNVERIFIED names {', '.join(unknown)}, which is no declared file: "
            f"the declared files are {', '.join(known)}"
        )
    mirror = os.environ.get("DISSENT_MIRROR") or None
    if mirror and not Path(mirror).is_dir():
        raise LandingError(f"DISSENT_MIRROR is {mirror}, which is no folder: correct it or unset it")
    return Settings(
        database=work_database(),
        raw_folder=Path(os.environ.get("DISSENT_RAW_FOLDER") or PROJECT / "data" / "raw"),
        mirror=Path(mirror) if mirror else None,
        allow_unverified=allowed,
        is_offline=os.environ.get("DISSENT_OFFLINE", "") not in ("", "0"),
        base_url=os.environ.get("DISSENT_BASE_URL") or None,
        refresh=refresh,
    )


class Waiting(LandingError):
    """What the file is checked against is not there yet: a normal state, not a failure."""


class Landing:
    """One run over the declared files; takes the build lock when the first file has to be written."""

    def __init__(self, settings: Settings, landed: dict[str, load.Landed]) -> None:
        self.settings = settings
        self.landed = landed
        self.resources = ExitStack()
        self.is_locked = False

    def land(self, source: SourceFile) -> Outcome:
        """Land one file; raises LandingError where it is refused, and then what was there stays."""
        layout = layout_of(source)
        before = self.landed.get(source.file_name)
        found = fetch.find_local(source, self.settings.raw_folder, self.settings.mirror)
        if found and found.is_verified and layout.is_generated:
            # Wherever these bytes lie, the generator's are the same.
            found = replace(found, taken_from="generated")
        if found is None and before and not self.settings.refresh:
            return Outcome(source, "kept", before)
        if found is None and not source.address and not layout.is_generated:
            absent = "missing" if layout.shape is Shape.BROUGHT else "optional"
            return Outcome(source, "kept" if before else absent, before)
        if found is None:
            try:
                found = self._obtain(source, layout)
            except fetch.Unreachable as error:
                return Outcome(source, "kept" if before else "missing", before, reason=error.reason)
        # A record made against another declared hash is not this file's any more, whatever its own hash.
        is_same = before and (before.sha256, before.is_verified) == (found.sha256, found.is_verified)
        if is_same and not self.settings.refresh:
            return Outcome(source, "unchanged", before)
        if fetch.must_be_allowed(source, found) and source.file_name not in self.settings.allow_unverified:
            raise LandingError(fetch.refusal(source, found))
        try:
            return Outcome(source, "landed", self._load(source, layout, found))
        except Waiting as error:
            return Outcome(source, "kept" if before else "waiting", before, reason=str(error))

    def _obtain(self, source: SourceFile, layout: Layout) -> fetch.Found:
        """Generate or download the file into the folder of raw files."""
        if self.settings.is_offline and not layout.is_generated:
            raise fetch.Unreachable(source.file_name, "not downloaded, because DISSENT_OFFLINE is set")
        self._lock()
        if layout.is_generated:
            from scripts import demo

            path = self.settings.raw_folder / source.file_name
            demo.generate(path)
            found = fetch.find_local(source, self.settings.raw_folder, None)
            if found is None:
                raise LandingError(f"{source.file_name} was written to {path} and is not there any more: try again")
            return replace(found, taken_from="generated")
        return fetch.download(
            source,
            self.settings.raw_folder,
            allowed=not source.sha256 or source.file_name in self.settings.allow_unverified,
            base_url=self.settings.base_url,
        )

    def _lock(self) -> None:
        if not self.is_locked:
            self.resources.enter_context(build_lock.take(self.settings.database))
            self.is_locked = True

    def _load(self, source: SourceFile, layout: Layout, found: fetch.Found) -> load.Landed:
        import duckdb

        from scripts.landing import brought, readers, validate

        self._lock()
        with duckdb.connect() as connection:
            if layout.dataset_id:
                validate.expect(connection, layout, self._items(source, layout))
            _say(f"reading {found.path}")
            if layout.shape is Shape.BROUGHT:
                warnings = brought.read(connection, source, found.path)
            else:
                readers.read(connection, source, layout, found.path)
                _say(f"validating {source.file_name}")
                warnings = validate.validate(connection, source, layout)
            return load.load(self.settings.database, connection, readers.FILE_ROWS, source, found, warnings)

    def _items(self, source: SourceFile, layout: Layout) -> list[str]:
        """The items of the data set that a file of model outputs is about."""
        if "items" in layout.parameters:
            return [str(item) for item in range(layout.parameters["items"])]
        if items := load.built_items(self.settings.database, layout.dataset_id):
            return items
        raise Waiting(
            f"the items of {layout.dataset_id} are not known before its votes have landed and were "
            "built: once they were, land it again"
        )


def _say(progress: str) -> None:
    print(f"{progress} ...", file=sys.stderr, flush=True)


def _table(outcomes: list[Outcome]) -> str:
    lines = [("file", "status", "rows", "sha256", "taken from")]
    for outcome in outcomes:
        record = outcome.record
        if record:
            unverified = "UNVERIFIED" if outcome.source.sha256 else "UNVERIFIED (no declared hash)"
            verified = "verified" if record.is_verified else unverified
            lines.append((outcome.source.file_name, outcome.status, f"{record.rows:,}", verified, record.taken_from))
        else:
            lines.append((outcome.source.file_name, outcome.status, "-", "-", "-"))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column == 2 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def land_all(settings: Settings, sources: list[SourceFile]) -> list[str]:
    """Land every file and print what happened; returns a sentence for every file that was refused."""
    landing = Landing(settings, load.landed(settings.database, sources))
    outcomes, refusals = [], []
    with landing.resources:
        for source in sources:
            try:
                outcomes.append(landing.land(source))
            except LandingError as error:
                outcomes.append(Outcome(source, "refused", landing.landed.get(source.file_name)))
                refusals.append(str(error))
    print(_table(outcomes))
    if missing := [outcome.source.file_name for outcome in outcomes if outcome.status == "missing"]:
        print(
            f"missing: {', '.join(missing)}; put them into {settings.raw_folder}, or name a folder that holds them in "
            "DISSENT_MIRROR, or run this again with network access"
        )
    sys.stdout.flush()
    for reason in dict.fromkeys(outcome.reason for outcome in outcomes if outcome.reason):
        names = [outcome.source.file_name for outcome in outcomes if outcome.reason == reason]
        print(f"{', '.join(names)}: {reason}", file=sys.stderr)
    for refusal in refusals:
        print(f"refused: {refusal}", file=sys.stderr)
    return refusals


def main(arguments: list[str] | None = None) -> int:
    """Command line; every expected trouble is one sentence on stderr and exit code 1."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.land",
        description=HELP,
        epilog=ENVIRONMENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--refresh", action="store_true", help="land every file again, downloading those not found in a folder"
    )
    refresh = parser.parse_args(arguments).refresh
    try:
        sources = read_declared()
        return 1 if land_all(read_settings(sources, refresh=refresh), sources) else 0
    except (LandingError, build_lock.BuildRunning) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
