"""Work in parallel: worker processes that die with their parent, threads in each, atomic writes.

Processes are started afresh (forkserver, or spawn), never forked: a fork would copy open databases
and threads. A worker lives on a pipe to its parent; when the parent is killed, the pipe closes and
the worker leaves at once, so nothing is written behind the back of whoever goes on.
"""

import multiprocessing
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import copy_context
from enum import StrEnum
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from crab_graph.errors import CrabGraphError, described

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

_SAFE_PATH, _OURS = "PYTHONSAFEPATH", "crab-graph"

Item = TypeVar("Item")
Result = TypeVar("Result")

Setup = Callable[[int], AbstractContextManager[Callable[[Item], Result]]]
"""Called in each worker with its number; gives the function that handles an item in its threads."""


Bar = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Opens a progress bar with a title; gives the function to call with how many of how many."""


@contextmanager
def no_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show nothing."""
    del title
    yield lambda done, total: None


class Executor(StrEnum):
    """What work is done by: processes of this machine, or actors of Ray."""

    PROCESSES = "processes"
    RAY = "ray"


_CLOSING_SECONDS = 10.0
_PATIENCE_SECONDS = 5.0
_PAUSE_SECONDS = 0.05
_READERS_ARE_IN_THE_WAY = sys.platform == "win32"
_UNGUARDED = (
    'a script that has more than one job puts what it does under `if __name__ == "__main__":`, '
    "since each process reads it once more"
)
_UNFINISHED = re.compile(r"\..+\.\d+(\.wal)?")  # DuckDB's log stands beside its file


def run_parallel(
    items: Iterable[Item],
    setup: Setup[Item, Result],
    *,
    jobs: int = 1,
    concurrency: int = 1,
    preload: Sequence[str] = (),
    executor: Executor = Executor.PROCESSES,
) -> Iterator[Result]:
    """Handle every item, and yield each result when it is there, in no promised order.

    Items are read as they are needed, so that a stream of any length is worked off in constant
    memory. They and the setup are picklable where there is more than one job (process); one means
    this process, but an actor where Ray does it. There are `concurrency` threads in each; processes
    load the modules `preload` once, together.

    Raises:
        CrabGraphError: a handler raised one, or a worker process was killed.
        MissingExtra: Ray is asked for and not installed.
        RuntimeError: a handler in another process raised something else.
    """
    if executor is Executor.RAY:
        from crab_graph.ray_workers import run_on_ray  # noqa: PLC0415  (an extra)

        yield from run_on_ray(items, setup, jobs=jobs, concurrency=concurrency)
    elif jobs > 1:
        yield from _in_processes(items, setup, jobs, concurrency, preload)
    elif concurrency > 1:
        yield from _in_threads(items, setup, concurrency)
    else:
        with setup(0) as handle:
            yield from map(handle, items)


def process_map(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> Iterator[Result]:
    """Yield `function(item)` for each item, in no promised order, from that many processes."""
    yield from run_parallel(items, partial(_always, function), jobs=jobs)


def begin(function: Callable[[], Result]) -> Future[Result]:
    """Call a function in a daemon thread of its own, in a copy of this context.

    Unlike the threads of a pool or an event loop it waits for nobody, and keeps no process alive.
    """
    answer: Future[Result] = Future()
    answer.set_running_or_notify_cancel()
    context = copy_context()

    def work() -> None:
        try:
            answer.set_result(context.run(function))
        except BaseException as error:  # handed to whoever waits
            answer.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return answer


async def in_thread(function: Callable[[], Result]) -> Result:
    """Return what a function returns, called as by `begin`, without keeping the event loop.

    Where the wait is cancelled the function goes on, and nobody hears of it.
    """
    import asyncio  # noqa: PLC0415  (30 ms that most commands need not wait for)

    return await asyncio.wrap_future(begin(function))


def unfinished_path(path: Path) -> Path:
    """Return where this process writes what then takes the place of a path."""
    return path.with_name(f".{path.name}.{os.getpid()}")


def take_place(unfinished: Path, path: Path) -> None:
    """Put what was written in the place of a path.

    Windows refuses that while somebody reads what stood there, which is waited for.
    """
    end = time.monotonic() + (_PATIENCE_SECONDS if _READERS_ARE_IN_THE_WAY else 0.0)
    while True:
        try:
            unfinished.replace(path)
            return
        except PermissionError:
            if time.monotonic() >= end:
                raise
            time.sleep(_PAUSE_SECONDS)


def entries_of(directory: Path) -> list[Path]:
    """Return what stands in a directory, without what a killed process left unfinished there."""
    return [entry for entry in directory.iterdir() if not _UNFINISHED.fullmatch(entry.name)]


def write_atomically(path: Path, text: str) -> None:
    """Write a text file so that readers find it whole or not at all, even after a crash."""
    unfinished = unfinished_path(path)
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        take_place(unfinished, path)
    except OSError as error:
        if error.filename is None:  # a full disk is told of without a name
            error.filename = str(path)
        raise
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _always(function: Callable[[Item], Result], slot: int) -> Iterator[Callable[[Item], Result]]:
    del slot
    yield function


def _in_threads(
    items: Iterable[Item], setup: Setup[Item, Result], concurrency: int
) -> Iterator[Result]:
    done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
    with setup(0) as handle, _threads(handle, concurrency, done.put) as tasks:
        source = iter(items)
        under_way = 0
        for item in islice(source, concurrency):
            tasks.put((item,))
            under_way += 1
        while under_way:
            result, error = done.get()
            if error is not None:
                raise error
            under_way -= 1
            for item in islice(source, 1):
                tasks.put((item,))
                under_way += 1
            yield result


@contextmanager
def _threads(
    handle: Callable[[Any], Any],
    number: int,
    tell: Callable[[tuple[Any, BaseException | None]], None],
) -> Iterator[SimpleQueue[tuple[Any] | None]]:
    """Handle what is put into a queue in daemon threads, which keep no interrupted process alive.

    At the end, unless an error is the end, what was put is handled before anything is closed.
    """
    tasks: SimpleQueue[tuple[Any] | None] = SimpleQueue()

    def work() -> None:
        while (task := tasks.get()) is not None:
            try:
                tell((handle(task[0]), None))
            except BaseException as error:
                tell((None, error))

    threads = [threading.Thread(target=work, daemon=True) for _ in range(number)]
    for thread in threads:
        thread.start()
    yield tasks
    for _ in threads:
        tasks.put(None)
    for thread in threads:
        thread.join()


def _in_processes(
    items: Iterable[Item],
    setup: Setup[Item, Result],
    jobs: int,
    concurrency: int,
    preload: Sequence[str],
) -> Iterator[Result]:
    source = iter(items)
    workers: dict[Connection, BaseProcess] = {}
    served: set[Connection] = set()
    under_way = 0
    try:
        for slot in range(jobs):
            pipe, process = _start(setup, slot, concurrency, preload)
            workers[pipe] = process
        for pipe in [pipe for _ in range(concurrency) for pipe in workers]:
            under_way += _hand_out(pipe, source)
        while under_way:
            pipe, result = _receive(workers, served)
            served.add(pipe)
            under_way += _hand_out(pipe, source) - 1
            yield result
        for pipe, process in workers.items():
            pipe.send(None)
            process.join(_CLOSING_SECONDS)
    finally:
        for pipe, process in workers.items():
            pipe.close()
            if process.is_alive():
                process.kill()
            process.join()


def start_method() -> Literal["spawn", "forkserver"]:
    """Return how processes are started: afresh, each by itself or from one that loaded modules.

    The second is faster, and there is none on Windows; on macOS libraries that were loaded before
    a fork break. Who sets `multiprocessing` to spawn gets it anywhere.
    """
    asked_for = multiprocessing.get_start_method(allow_none=True) == "spawn"
    return "spawn" if asked_for or sys.platform in ("win32", "darwin") else "forkserver"


def _context(preload: Sequence[str]) -> "SpawnContext | ForkServerContext":
    if start_method() == "spawn":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preload))
    return context


def _start(
    setup: Setup[Any, Any], slot: int, concurrency: int, preload: Sequence[str]
) -> tuple[Connection, BaseProcess]:
    context = _context(preload)
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, setup, slot, concurrency), daemon=True)
    with _safe_path():
        process.start()
    theirs.close()
    return ours, process


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let Python begin processes without the working directory among the places of its modules.

    It may be a folder of somebody else. What a worker is to import it finds where we find it.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = before or _OURS
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_SAFE_PATH, None)


def _hand_out(pipe: Connection, source: Iterator[Any]) -> int:
    """Give a worker the next item; return how many there were to give, 1 or 0."""
    for item in islice(source, 1):
        with suppress(BrokenPipeError, ConnectionResetError):  # `_receive` says that it died
            pipe.send((item,))
        return 1
    return 0


def _receive(
    workers: Mapping[Connection, BaseProcess], served: Collection[Connection]
) -> tuple[Connection, Any]:
    ready = wait(list(workers))
    pipe = next(pipe for pipe in workers if pipe in ready)
    try:
        result, failure = pipe.recv()
    except (EOFError, ConnectionResetError):
        workers[pipe].join(_CLOSING_SECONDS)
        code = workers[pipe].exitcode
        kept = _UNGUARDED if code == 1 and pipe not in served else "what it finished is kept"
        raise CrabGraphError(f"a worker process died (exit code {code}); {kept}") from None
    if failure is not None:
        is_ours, text = failure
        raise CrabGraphError(text) if is_ours else RuntimeError(text)
    return pipe, result


def _serve(pipe: Connection, setup: Setup[Any, Any], slot: int, concurrency: int) -> None:
    """Be a worker: handle what comes through the pipe, until its other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    sys.stdout = sys.stderr  # and what is a result
    if os.environ.get(_SAFE_PATH) == _OURS:  # what an agent starts is its own business
        del os.environ[_SAFE_PATH]
    sending = threading.Lock()

    def answer(done: tuple[Any, BaseException | None]) -> None:
        result, error = done
        try:
            with sending:
                pipe.send((result, None if error is None else described(error)))
        except (BrokenPipeError, ConnectionResetError):
            os._exit(1)  # the parent is gone

    try:
        with setup(slot) as handle, _threads(handle, concurrency, answer) as tasks:
            while (task := pipe.recv()) is not None:
                tasks.put(task)
    except (EOFError, ConnectionResetError):
        os._exit(1)  # the parent is gone: leave without finishing what is under way
    except BaseException as error:
        answer((None, error))
