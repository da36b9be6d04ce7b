"""What an agent shares with us, since it runs in our process, kept as it was.

An agent may change the working directory, close the standard streams, or put others in their place.
"""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

_STANDARD = (1, 2)


class _Kept(NamedTuple):
    """The process as it was: its directory, its streams, and copies of their descriptors."""

    folder: str | None
    stdout: Any
    stderr: Any
    copies: dict[int, int]


_LOCK = threading.Lock()
_DEPTH = 0
_BEFORE: _Kept | None = None


@contextmanager
def undisturbed() -> Iterator[None]:
    """Give back the working directory and the standard streams, which cannot be closed inside.

    Inside one another, or in several threads, the last to leave puts the streams back.
    """
    global _DEPTH, _BEFORE
    with _LOCK:
        if _BEFORE is None:
            _BEFORE = _keep()
        _DEPTH += 1
        kept = _BEFORE
    try:
        yield
    finally:
        with _LOCK:
            _DEPTH -= 1
            _mend(kept)
            if not _DEPTH:
                sys.stdout, sys.stderr = kept.stdout, kept.stderr
                for copy in kept.copies.values():
                    os.close(copy)
                _BEFORE = None


def _keep() -> _Kept:
    folder = None
    with suppress(OSError):  # it may have been removed
        folder = os.getcwd()
    copies = {}
    for descriptor in _STANDARD:
        with suppress(OSError):  # it may be closed from the start
            copies[descriptor] = os.dup(descriptor)
    kept = _Kept(folder, sys.stdout, sys.stderr, copies)
    sys.stdout, sys.stderr = _Unclosable(sys.stdout), _Unclosable(sys.stderr)
    return kept


def _mend(kept: _Kept) -> None:
    """Go back to the directory, and open descriptors that were closed."""
    with suppress(OSError):
        if kept.folder is not None and os.getcwd() != kept.folder:
            os.chdir(kept.folder)
    for descriptor, copy in kept.copies.items():
        try:
            os.fstat(descriptor)
        except OSError:
            os.dup2(copy, descriptor)


class _Unclosable:
    """A stream that is flushed where it would be closed."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        with suppress(AttributeError, OSError, ValueError):
            self._stream.flush()
