"""Garbage is not looked for while something large is built that all stays in use."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_waiting = 0


@contextmanager
def uncollected(*, if_: bool = True) -> Iterator[None]:
    """Let the collector of cycles rest in a block; it goes on when the last such block ends.

    What a long text says is a million small objects, which it would walk through again and again.
    """
    global _waiting
    if not if_ or not (_waiting or gc.isenabled()):
        yield
        return
    with _LOCK:
        _waiting += 1
        gc.disable()
    try:
        yield
    finally:
        with _LOCK:
            _waiting -= 1
            if not _waiting:
                gc.enable()
