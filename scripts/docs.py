"""Makes `report/docs.html`, dbt's documentation of every table, test and macro as one page: `make docs`.

dbt reads the columns that are really there from the work database, so a build must have run, and none may be running.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from scripts.paths import PROJECT, target_folder, work_database, write

PAGE = PROJECT / "report" / "docs.html"


def main() -> int:
    """Make the page; one line says where it is."""
    if not work_database().exists():
        print(f"{work_database().name} is not there yet: run make build first", file=sys.stderr)
        return 1
    # A folder of its own: what dbt remembers of the last build (dbt retry, run_results.json) stays as it is.
    folder = target_folder() / "docs"
    # Relative to the project: the page then names no path of this machine.
    target = os.path.relpath(folder, PROJECT)
    dbt = Path(sys.executable).with_name("dbt")
    made = subprocess.run([dbt, "--quiet", "docs", "generate", "--static", "--target-path", target], cwd=PROJECT)
    if made.returncode:
        return 1
    page = (folder / "static_index.html").read_bytes()
    write(PAGE, page)
    print(f"docs: {PAGE.relative_to(PROJECT)} ({len(page) / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
