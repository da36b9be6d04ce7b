"""Writing in a run's directory: one live writer, whose failures are one line each."""

import errno
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from crab_graph.errors import RunError, StorageError

_WRITER = "writer.lock"
_WORKERS = "workers.lock"
_PATIENCE_SECONDS = 10.0
_PAUSE_SECONDS = 0.05
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DATABASES = {"sqlite3", "psycopg", "psycopg_pool"}


@contextmanager
def keeping(directory: Path) -> Iterator[None]:
    """Turn failures to write into a `StorageError`; what was finished before is kept.

    Agents, users and tools have their own handlers, so what arrives here comes from what a run
    writes itself: its shards and its checkpoints.

    Raises:
        StorageError: something could not be written.
    """
    try:
        yield
    except Exception as error:
        cause = error.__cause__ if isinstance(error, StorageError) and error.__cause__ else error
        is_database = type(cause).__module__.partition(".")[0] in _DATABASES
        if not isinstance(cause, OSError | StorageError) and not is_database:
            raise
        is_full = isinstance(cause, OSError) and cause.errno in _FULL
        if isinstance(cause, sqlite3.Error):
            is_full = getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        reason = "no space is left on the disk" if is_full else str(cause).strip()
        raise StorageError(
            f"{directory}: cannot be written, {reason}; what is finished is kept; "
            f"when that is mended go on with: crab-graph resume {directory}"
        ) from error


@contextmanager
def hold_run(directory: Path) -> Iterator[None]:
    """Be the only process that starts work in a run directory.

    Raises:
        RunError: another process is, or workers of a killed one still write.
    """
    with (directory / _WRITER).open("a") as writer:
        if not _try_lock(writer, shared=False):
            raise RunError(f"{directory}: another process is working on this run")
        end = time.monotonic() + _PATIENCE_SECONDS
        with (directory / _WORKERS).open("a") as workers:
            while not _try_lock(workers, shared=False):
                if time.monotonic() > end:
                    raise RunError(f"{directory}: workers of an earlier process still write there")
                time.sleep(_PAUSE_SECONDS)
        yield


@contextmanager
def hold_worker(directory: Path) -> Iterator[None]:
    """Be one of the workers, whom a new writer waits for."""
    with (directory / _WORKERS).open("a") as workers:
        _try_lock(workers, shared=True)
        yield


def _try_lock(file: IO[str], *, shared: bool) -> bool:
    """Hold a lock until the file is closed, unless somebody else does."""
    try:
        import fcntl  # noqa: PLC0415
    except ImportError:  # no POSIX: nothing keeps two writers apart there
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
