"""Work in several processes, and files that are never half-written."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

PARENT_CHECK_SECONDS = 1.0


def process_map(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> Iterator[Result]:
    """Yield `function(item)` for each item, in any order, as results come in.

    With one job the work is done here. Otherwise at most `2 * jobs` items are under way, so that a
    stream of any length is worked off in constant memory.

    Args:
        function: A picklable function.
        items: Picklable arguments.
        jobs: Number of processes.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    # Never plain fork: threads and open databases do not survive it.
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(
        jobs, mp_context=context, initializer=end_with_parent, initargs=(os.getpid(),)
    ) as pool:
        source = iter(items)
        pending: set[Future[Result]] = set()
        try:
            for item in source:
                pending.add(pool.submit(function, item))
                if len(pending) >= 2 * jobs:
                    finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in finished)
            while pending:
                finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
        finally:
            for future in pending:
                future.cancel()


def end_with_parent(parent: int) -> None:
    """Prepare a worker process: it leaves Ctrl-C to its parent and ends when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while _is_alive(parent):
            time.sleep(PARENT_CHECK_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def write_atomically(path: Path, text: str) -> None:
    """Write a text file so that readers find it whole or not at all, even after a crash."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
