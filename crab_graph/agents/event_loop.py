"""Asynchronous code run to its end from synchronous code, also where an event loop is running.

One loop serves the process: clients of models keep connections that belong to the loop in which
they were opened.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache
from typing import TypeVar, cast

Result = TypeVar("Result")

_PATIENCE_SECONDS = 1.0


def run_to_end(
    awaitable: Awaitable[Result], at_home: asyncio.AbstractEventLoop | None = None
) -> Result:
    """Return what an awaitable comes to; it is awaited in a copy of this context.

    It is awaited in the loop where something of it is at home, such as an asynchronous saver, if
    that loop runs in another thread.
    """
    loop = _loop(os.getpid())
    if at_home is not None and at_home.is_running() and at_home is not _running():
        loop = at_home
    if loop is _running():  # asked from inside: waiting here for this loop would never end
        with ThreadPoolExecutor(1) as threads:
            return threads.submit(copy_context().run, asyncio.run, _awaited(awaitable)).result()
    under_way = asyncio.run_coroutine_threadsafe(_tried(awaitable), loop)
    try:
        value, exit = under_way.result()
    except BaseException:
        under_way.cancel()  # interrupted: nobody waits for it any more
        raise
    if exit is not None:
        raise exit
    return cast(Result, value)


@lru_cache(1)
def _loop(process: int) -> asyncio.AbstractEventLoop:
    """Return the loop of this process, begun in a thread that keeps no process alive.

    A forked process has none of its parent's threads, and gets its own.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=_serve, args=(loop,), name="crab-graph-loop", daemon=True)
    thread.start()

    def stop() -> None:
        if os.getpid() == process:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(_PATIENCE_SECONDS)

    atexit.register(stop)  # a thread that runs while Python ends holds what it should let go
    return loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop, also on after a task that asked to exit, which stops it for all."""
    while True:
        try:
            loop.run_forever()
        except (KeyboardInterrupt, SystemExit):
            continue  # whoever awaits the task hears of it
        return


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def _tried(awaitable: Awaitable[Result]) -> tuple[Result | None, BaseException | None]:
    try:
        return await awaitable, None
    except (KeyboardInterrupt, SystemExit) as exit:
        return None, exit


async def _awaited(awaitable: Awaitable[Result]) -> Result:
    return await awaitable
