"""Episodes of a process take turns, except while they wait for a model.

Python runs one thread at a time. Threads that all have something to do hand the interpreter to each
other at every file and every lock, dozens of times in a step, and that costs more than the step.
So an episode keeps its turn until it asks a model, or whoever else plays.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_TURN: ContextVar["threading.Lock | None"] = ContextVar("turn", default=None)


@contextmanager
def taking_turns(turn: threading.Lock) -> Iterator[None]:
    """Do something in turn with all that share the lock."""
    token = _TURN.set(turn)
    try:
        with turn:
            yield
    finally:
        _TURN.reset(token)


@contextmanager
def waiting() -> Iterator[None]:
    """Leave the turn to others meanwhile, where turns are taken."""
    turn = _TURN.get()
    if turn is None:
        yield
        return
    turn.release()
    try:
        yield
    finally:
        turn.acquire()
