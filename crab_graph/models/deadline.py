"""Time limits that hold: a call that is not back in time is left behind.

A client's own time-out counts from one piece of an answer to the next, so a server that sends a
byte now and then is waited for without end. Here the whole call has one time.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import TypeVar

from crab_graph.models.failures import CallTimeout

Result = TypeVar("Result")


def within(seconds: float | None, function: Callable[[], Result]) -> Result:
    """Return what a function returns, or give it up.

    Args:
        seconds: How long it may take; `None` calls it as it is.
        function: It runs in a thread of its own, in a copy of this context. Once given up, it may
            end when it likes; the thread keeps no process alive.

    Raises:
        CallTimeout: it took longer.
    """
    if seconds is None:
        return function()
    answer: Future[Result] = Future()
    context = copy_context()

    def work() -> None:
        try:
            answer.set_result(context.run(function))
        except BaseException as error:  # handed to whoever waits
            answer.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        return answer.result(max(0.0, seconds))
    except TimeoutError:
        if answer.done():
            raise
        raise CallTimeout(f"no answer within {seconds:g} s") from None
