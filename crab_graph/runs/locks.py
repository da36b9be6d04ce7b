"""One live writer for each run directory; a lock dies with the process that holds it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from crab_graph.errors import RunError

_WRITER = "writer.lock"
_WORKERS = "workers.lock"
_PATIENCE_SECONDS = 10.0
_PAUSE_SECONDS = 0.05


@contextmanager
def hold_run(directory: Path) -> Iterator[None]:
    """Be the only process that starts work in a run directory.

    Raises:
        RunError: another process is, or workers of a killed one still write.
    """
    with (directory / _WRITER).open("a") as writer, (directory / _WORKERS).open("a") as workers:
        if not _try_lock(writer, shared=False):
            raise RunError(f"{directory}: another process is working on this run")
        end = time.monotonic() + _PATIENCE_SECONDS
        while not _try_lock(workers, shared=False):
            if time.monotonic() > end:
                raise RunError(f"{directory}: workers of an earlier process still write there")
            time.sleep(_PAUSE_SECONDS)
        _unlock(workers)
        yield


@contextmanager
def hold_worker(directory: Path) -> Iterator[None]:
    """Be one of the workers, whom a new writer waits for."""
    with (directory / _WORKERS).open("a") as workers:
        _try_lock(workers, shared=True)
        yield


def _try_lock(file: IO[str], *, shared: bool) -> bool:
    try:
        import fcntl  # noqa: PLC0415
    except ImportError:  # no POSIX: nothing keeps two writers apart there
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _unlock(file: IO[str]) -> None:
    try:
        import fcntl  # noqa: PLC0415
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_UN)
