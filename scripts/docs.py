"""Makes `report/docs.html`, dbt's documentation of every table, test and macro as one page: `make docs`.

dbt reads the columns that are really there from the work database, so a build must have run, and none may be running.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from scripts.paths import PROJECT, target_folder, work_database, write

PAGE = PROJECT / "report" / "docs.html"


def main() -> int:
    """Make the page; one line says where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=PAGE, help="where to write it (default: report/docs.html)")
    output = parser.parse_args().output.resolve()
    if not work_database().exists():
        print(f"{work_database().name} is not there yet: run make build first", file=sys.stderr)
        return 1
    # A folder of its own: what dbt remembers of the last build (dbt retry, run_results.json) stays as it is.
    folder = target_folder() / "docs"
    dbt = Path(sys.executable).with_name("dbt")
    made = subprocess.run([dbt, "--quiet", "docs", "generate", "--static", "--target-path", folder], cwd=PROJECT)
    if made.returncode:
        return 1
    # The page may be handed on: it names no folder of this machine.
    page = (folder / "static_index.html").read_bytes().replace(str(PROJECT).encode(), b".")
    write(output, page)
    name = output.relative_to(PROJECT) if output.is_relative_to(PROJECT) else output
    print(f"docs: {name} ({len(page) / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
