"""One contender in a process of its own, so that its peak memory is its own: python -m scripts.bench.contenders.

Every contender starts from the same Parquet and leaves the same tables on disk: DuckDB in a database, as a build does,
the others as Parquet.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

from scripts.bench.compare import TABLES
from scripts.bench.entries import SEEDS, VIEWS, parquet
from scripts.bench.models import PROJECT, connect, manifest_of, replay


class Contender(Protocol):
    """Makes the tables, from Parquet to tables on disk, as often as asked."""

    def compute(self) -> None:
        """Make the tables and store them, each library in its own way."""

    def export(self) -> None:
        """See to it that they are there as NAME.parquet, for comparison."""


class _Models:
    """The compiled SQL of the models behind the tables; the entry views read the Parquet."""

    def __init__(self, entries: Path, outputs: Path, tables: Collection[str]) -> None:
        self._connection, self._outputs, self._tables = connect(outputs), outputs, tables
        self._manifest = manifest_of(entries)
        self._replaced = {name: parquet(entries, name) for name in VIEWS}
        self._manifest.create_inputs(self._connection)
        for name in SEEDS:
            relation = self._manifest.relation(name)
            self._connection.execute(f"create or replace table {relation} as {parquet(entries, name)}")

    def compute(self) -> None:
        for _ in replay(self._connection, self._manifest.models(self._tables), self._replaced):
            pass

    def export(self) -> None:
        for name in self._tables:
            relation = self._manifest.relation(name)
            self._connection.execute(f"copy (from {relation}) to '{self._outputs / name}.parquet'")


class _ByHand:
    """The script floor.sql."""

    def __init__(self, entries: Path, outputs: Path, tables: Collection[str]) -> None:
        self._connection, self._outputs, self._tables = connect(outputs), outputs, tables
        self._script = Path(__file__).with_name("floor.sql").read_text().replace("{entries}", str(entries))

    def compute(self) -> None:
        self._connection.execute(self._script)

    def export(self) -> None:
        for name in self._tables:
            self._connection.execute(f"copy (from {name}) to '{self._outputs / name}.parquet'")


class _Frames:
    """A library of data frames: its module here has a function `compute`, imported before the clock starts."""

    library: str

    def __init__(self, entries: Path, outputs: Path, tables: Collection[str]) -> None:
        self._module = importlib.import_module(f"scripts.bench.contender_{self.library}")
        self._entries, self._outputs, self._tables = entries, outputs, tables

    def compute(self) -> None:
        made = self._module.compute(self._entries, self._tables)
        for name in self._tables:
            frame, path = made.pop(name), self._outputs / f"{name}.parquet"
            if self.library == "polars":
                frame.write_parquet(path)
            else:
                frame.to_parquet(path, index=False)

    def export(self) -> None:
        pass


class _Pandas(_Frames):
    library = "pandas"


class _Polars(_Frames):
    library = "polars"


CONTENDERS: dict[str, type[_Models] | type[_ByHand] | type[_Frames]] = {
    "models": _Models,
    "numpy/pandas": _Pandas,
    "polars": _Polars,
    "DuckDB by hand": _ByHand,
}


@dataclass(frozen=True)
class Result:
    """The best of the runs, and the peak memory of the process after the first."""

    seconds: float
    cpu_seconds: float
    memory: int


def peak_memory() -> int:
    """Bytes that this process held in memory at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run(name: str, entries: Path, outputs: Path, tables: Collection[str], runs: int) -> Result:
    """Run a contender in a new process; its tables are in `outputs` afterwards."""
    outputs.mkdir()
    command = [sys.executable, "-m", "scripts.bench.contenders", name, str(entries), str(outputs), str(runs), *tables]
    finished = subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True)
    return Result(**json.loads(finished.stdout))


def main() -> int:
    """Command line of the child process: prints the result as JSON."""
    parser = argparse.ArgumentParser(prog="python -m scripts.bench.contenders", description=__doc__)
    parser.add_argument("name", choices=CONTENDERS)
    parser.add_argument("entries", type=Path)
    parser.add_argument("outputs", type=Path)
    parser.add_argument("runs", type=int)
    parser.add_argument("tables", nargs="+", choices=TABLES)
    options = parser.parse_args()
    contender: Contender = CONTENDERS[options.name](options.entries, options.outputs, options.tables)
    times, memory = [], 0
    for _ in range(options.runs):
        start, cpu_start = time.perf_counter(), time.process_time()
        contender.compute()
        times.append((time.perf_counter() - start, time.process_time() - cpu_start))
        memory = memory or peak_memory()
    contender.export()
    print(json.dumps(asdict(Result(*min(times), memory))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
