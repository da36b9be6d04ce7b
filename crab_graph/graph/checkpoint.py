"""Checkpoints: SQLite on disk, and the names under which episodes are kept (paper section 3.3)."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver

_BUSY_SECONDS = 30.0


@contextmanager
def open_saver(path: Path) -> Iterator["SqliteSaver"]:
    """Open a checkpoint file, made if it is missing, for any number of threads.

    In WAL mode `synchronous=NORMAL` loses nothing when the process is killed, and a step costs less
    than half of what it does with SQLite's default.
    """
    from crab_graph.graph.sqlite_saver import CompactSaver  # noqa: PLC0415  (heavy)

    connection = sqlite3.connect(path, check_same_thread=False, timeout=_BUSY_SECONDS)
    try:
        saver = CompactSaver(connection)
        saver.setup()
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
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
