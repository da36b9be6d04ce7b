"""Workers as Ray actors: what processes do on one machine, on a cluster of them (extra `ray`).

An actor that dies, or whose machine does, is started again with its number, and gets again what it
had under way: handlers that keep their work, as those of a run do, go on where it stopped.
"""

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, redirect_stdout
from itertools import islice
from typing import Any, TypeVar

from crab_graph.errors import CrabGraphError, MissingExtra, described

Item = TypeVar("Item")
Result = TypeVar("Result")

_DEATHS = 3
"""How often an item may be under way in an actor that dies; one that kills each is given up."""

_CLOSING_SECONDS = 10.0


def run_on_ray(
    items: Iterable[Item],
    setup: Callable[[int], AbstractContextManager[Callable[[Item], Result]]],
    *,
    jobs: int,
    concurrency: int,
) -> Iterator[Result]:
    """Handle every item in actors, and yield each result when it is there, in no promised order.

    Connects to the cluster that `RAY_ADDRESS` names, or to the one that runs on this machine; where
    there is none, one is started here and stopped at the end. Arguments are those of
    `run_parallel`; each actor asks for one CPU, and there are never more than the cluster has.

    Raises:
        MissingExtra: Ray is not installed.
        CrabGraphError: a handler raised one, or an item was under way in several actors that died.
        RuntimeError: a handler raised something else.
    """
    try:
        import ray  # noqa: PLC0415  (an extra)
    except ImportError:
        raise MissingExtra("--executor ray", "ray") from None

    with _cluster(ray, jobs):
        cpus = int(ray.cluster_resources().get("CPU", 0))
        slots = [*range(min(jobs, max(cpus, 1)))] * concurrency
        kind = ray.remote(_Worker).options(
            num_cpus=1, max_concurrency=concurrency, scheduling_strategy="SPREAD"
        )
        actors: dict[int, Any] = {}
        yield from _hand_out(ray, lambda slot: kind.remote(setup, slot), actors, items, slots)
        closing = [actor.close.remote() for actor in actors.values()]
        ray.wait(closing, num_returns=len(closing), timeout=_CLOSING_SECONDS)


def _hand_out(
    ray: Any,
    start: Callable[[int], Any],
    actors: dict[int, Any],
    items: Iterable[Any],
    slots: Iterable[int],
) -> Iterator[Any]:
    """Hand items to one live actor for each number, and to the next one when it dies."""
    source = iter(items)
    under_way: dict[Any, tuple[Any, int, Any, int]] = {}

    def give(slot: int, item: Any, deaths: int = 0) -> None:
        if slot not in actors:
            actors[slot] = start(slot)
        actor = actors[slot]
        under_way[actor.handle.remote(item)] = actor, slot, item, deaths

    for slot in slots:
        for item in islice(source, 1):
            give(slot, item)
    while under_way:
        (reference,), _ = ray.wait(list(under_way), num_returns=1)
        actor, slot, item, deaths = under_way.pop(reference)
        try:
            result, failure = ray.get(reference)
        except ray.exceptions.RayActorError:
            if deaths + 1 == _DEATHS:
                raise CrabGraphError(
                    f"{_DEATHS} Ray workers died one after the other with the same work; "
                    "what they finished is kept"
                ) from None
            if actors.get(slot) is actor:  # several of its items say that it died
                del actors[slot]
            give(slot, item, deaths + 1)
            continue
        if failure is not None:
            is_ours, text = failure
            raise CrabGraphError(text) if is_ours else RuntimeError(text)
        for item in islice(source, 1):
            give(slot, item)
        yield result


class _Worker:
    """The actor: what `setup` opened, held open for all items."""

    def __init__(
        self, setup: Callable[[int], AbstractContextManager[Callable[[Any], Any]]], slot: int
    ) -> None:
        self._stack = ExitStack()
        self._failure: tuple[bool, str] | None = None
        try:
            self._handle = self._stack.enter_context(setup(slot))
        except Exception as error:  # what an actor raises here would only say that it died
            self._failure = described(error)

    def handle(self, item: Any) -> tuple[Any, tuple[bool, str] | None]:
        """Return an item's result, or the failure as text."""
        if self._failure is not None:
            return None, self._failure
        try:
            return self._handle(item), None
        except Exception as error:
            return None, described(error)

    def close(self) -> None:
        """Close what was opened."""
        self._stack.close()


@contextmanager
def _cluster(ray: Any, jobs: int) -> Iterator[None]:
    """Be connected to a cluster, whose own messages go where progress goes."""
    settings = {"log_to_driver": False, "logging_level": logging.ERROR}
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # or it reports to its makers
    try:
        ray.init(**settings, include_dashboard=False, num_cpus=jobs)
    except ValueError:  # there is a cluster: its machines say how many CPUs they have
        ray.init(**settings)
    except ConnectionError as error:
        raise CrabGraphError(f"no Ray cluster answers: {error}") from None
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        ray.shutdown()
