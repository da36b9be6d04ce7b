"""Failures to write what a run keeps, as one line that says how to go on."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crab_graph.errors import StorageError

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
        if not isinstance(cause, OSError | StorageError) and not _is_database_error(cause):
            raise
        reason = "no space is left on the disk" if _is_full(cause) else str(cause).strip()
        raise StorageError(
            f"{directory}: cannot be written, {reason}; what is finished is kept; "
            f"when that is mended go on with: crab-graph resume {directory}"
        ) from error


def _is_database_error(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] in _DATABASES


def _is_full(error: BaseException) -> bool:
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return isinstance(error, OSError) and error.errno in _FULL
