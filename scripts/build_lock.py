"""One writer at a time: landing and dbt hold this lock while they change the work database."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO

# How the sentence of BuildRunning begins; `scripts.build` knows it by that where dbt prints it.
RUNNING = "another build is using"


class BuildRunning(Exception):
    """Another process holds the lock; the message is one sentence for the user."""


def take(database: Path) -> IO[str]:
    """Lock the work database `database` until this process ends or closes what is returned.

    The lock belongs to the open file, so the system frees it however the process ends.
    Raises BuildRunning where another process holds it.
    """
    database.parent.mkdir(parents=True, exist_ok=True)
    handle = open(database.with_name(database.name + ".lock"), "a+", encoding="utf-8")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.seek(0)
        holder = handle.read().strip() or "unknown"
        handle.close()
        raise BuildRunning(
            f"{RUNNING} {database.name} (process {holder}): wait until it ends, then run this again; "
            "nothing was changed"
        ) from None
    handle.seek(0)
    handle.truncate()
    handle.write(str(os.getpid()))
    handle.flush()
    return handle
