"""Whether somebody pressed Ctrl-C, or code of others raised what Ctrl-C raises.

Python makes a `KeyboardInterrupt` of the signal in the main thread, at whatever line runs there.
One that an agent raises by itself looks the same, but no signal came.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def told_of_interrupts() -> Iterator[Callable[[], bool]]:
    """Yield what tells whether a signal interrupted what runs inside.

    Whatever handled the signal before goes on to do so, also where code inside put its own instead.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield lambda: False
        return
    came = False

    def tell(number: int, frame: FrameType | None) -> object:
        nonlocal came
        came = True
        return handler(number, frame)

    signal.signal(signal.SIGINT, tell)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGINT, handler)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise what Ctrl-C is in Python for whatever a library made of it; DuckDB has its own error.

    Raises:
        KeyboardInterrupt: somebody pressed Ctrl-C, and something failed.
    """
    with told_of_interrupts() as is_interrupted:
        try:
            yield
        except Exception as error:
            if is_interrupted():
                raise KeyboardInterrupt from error
            raise
