"""Writing in a run's directory: one live writer, whose failures are one line each."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from crab_graph.errors import RunError, StorageError

_WRITER = "writer.lock"
_WORKER = "worker-{}.lock"
_NOTES = "notes.lock"
_PATIENCE_SECONDS = 10.0
_PAUSE_SECONDS = 0.05
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_DATABASES = {"sqlite3", "psycopg", "psycopg_pool"}


class _Told(StorageError):
    """A failure of which all is said that there is to say."""


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
    except _Told:
        raise
    except Exception as error:
        cause = error.__cause__ if isinstance(error, StorageError) and error.__cause__ else error
        is_database = type(cause).__module__.partition(".")[0] in _DATABASES
        if not isinstance(cause, OSError | StorageError) and not is_database:
            raise
        is_full = isinstance(cause, OSError) and cause.errno in _FULL
        if isinstance(cause, sqlite3.Error):
            is_full = getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        reason = "no space is left on the disk" if is_full else str(cause).strip()
        raise _Told(
            f"{directory}: cannot be written, {reason}; what is finished is kept; "
            f"when that is mended go on with: crab-graph resume {directory}"
        ) from error


@contextmanager
def hold_run(directory: Path) -> Iterator[None]:
    """Be the only process that starts work in a run directory.

    Raises:
        RunError: another process is, or workers of a killed one still write.
    """
    with _held(directory / _WRITER, 0.0, f"{directory}: another process is working on this run"):
        for workers in sorted(directory.glob(_WORKER.format("*"))):
            _wait_for(workers)
        yield


@contextmanager
def hold_worker(directory: Path, slot: int) -> Iterator[None]:
    """Be the worker of a number, whom a new writer waits for.

    Raises:
        RunError: a worker of that number, of an earlier process, still writes.
    """
    with _held(directory / _WORKER.format(slot), _PATIENCE_SECONDS, _still_writing(directory)):
        yield


@contextmanager
def hold_notes(directory: Path) -> Iterator[None]:
    """Be the only one that adds to the notes of a run, in any process or thread.

    Raises:
        RunError: another has been adding for longer than anybody should.
    """
    with _held(directory / _NOTES, _PATIENCE_SECONDS, f"{directory}: others write its notes"):
        yield


def _wait_for(workers: Path) -> None:
    with _held(workers, _PATIENCE_SECONDS, _still_writing(workers.parent)):
        pass


def _still_writing(directory: Path) -> str:
    return f"{directory}: workers of an earlier process still write there"


@contextmanager
def _held(path: Path, seconds: float, refusal: str) -> Iterator[None]:
    """Hold a lock that dies with the process, on any system; wait so long for it."""
    try:
        held = FileLock(path, thread_local=False).acquire(seconds, _PAUSE_SECONDS)
    except Timeout:
        raise RunError(refusal) from None
    except NotImplementedError:
        raise RunError(f"{path.parent}: its file system has no locks; use another") from None
    with held:
        yield
