"""Checkpoints: SQLite on disk, and the names under which episodes are kept (paper section 3.3)."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver

_BUSY_SECONDS = 30.0
_PAGES_OF_LOG = 8000


@contextmanager
def open_saver(path: Path) -> Iterator["SqliteSaver"]:
    """Open a checkpoint file, made if it is missing, for any number of threads.

    In WAL mode, which LangGraph sets, `synchronous=NORMAL` loses nothing when the process is
    killed, and a step costs less than half of what it does with SQLite's default. The log is
    written back, which waits for the disk, after 32 MB instead of 4.
    """
    from crab_graph.graph.sqlite_saver import CompactSaver  # noqa: PLC0415  (heavy)

    connection = sqlite3.connect(path, check_same_thread=False, timeout=_BUSY_SECONDS)
    try:
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA wal_autocheckpoint={_PAGES_OF_LOG}")
        saver = CompactSaver(connection)
        saver.setup()
        yield saver
    finally:
        connection.close()


def stored_threads(path: Path) -> set[str]:
    """Return the threads that a checkpoint file holds; a file without its tables holds none."""
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS)
    try:
        return {row[0] for row in connection.execute("SELECT DISTINCT thread_id FROM checkpoints")}
    except sqlite3.OperationalError:
        return set()
    finally:
        connection.close()
