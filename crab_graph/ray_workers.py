"""Workers as Ray actors: what processes do on one machine, on a cluster of them (extra `ray`).

An actor that dies, or whose machine does, is started again with its number, and gets again what it
had under way: handlers that keep their work, as those of a run do, go on where it stopped.
"""

import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, redirect_stdout
from itertools import islice
from typing import Any, TypeVar

from crab_graph.errors import CrabGraphError, MissingExtra

Item = TypeVar("Item")
Result = TypeVar("Result")

_DEATHS = 3
"""How often an item may be under way in an actor that dies; one that kills each is given up."""

_CLOSING_SECONDS = 10.0


def run_on_ray(
    items: Iterable[Item],
    setup: Callable[[int], AbstractContextManager[Callable[[Item], Result]]],
    describe: Callable[[Exception], tuple[bool, str]],
    *,
    jobs: int,
    concurrency: int,
) -> Iterator[Result]:
    """Handle every item in actors, and yield each result when it is there, in no promised order.

    Connects to the cluster that `RAY_ADDRESS` names, or to the one that runs on this machine; where
    there is none, one is started here and stopped at the end.

    Args:
        items: What there is to do, read as it is needed; picklable.
        setup: Called in each actor with its number; gives the function that handles an item.
        describe: An exception as text, and whether it is one of ours.
        jobs: Number of actors, each of which asks for one CPU; never more than the cluster has.
        concurrency: Items at once in each actor.

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
        crew = _Crew(ray, setup, describe, concurrency)
        yield from _hand_out(crew, items, slots=min(jobs, max(cpus, 1)))
        crew.close()


class _Crew:
    """One live actor for each number; the next one when it dies."""

    def __init__(self, ray: Any, setup: Any, describe: Any, concurrency: int) -> None:
        self.ray = ray
        self.concurrency = concurrency
        self._type = ray.remote(_Worker).options(
            num_cpus=1, max_concurrency=concurrency, scheduling_strategy="SPREAD"
        )
        self._arguments = setup, describe
        self._actors: dict[int, Any] = {}

    def give(self, slot: int, item: Any) -> tuple[Any, Any]:
        """Let an actor handle an item; return the reference of its answer, and the actor."""
        if slot not in self._actors:
            self._actors[slot] = self._type.remote(*self._arguments, slot)
        actor = self._actors[slot]
        return actor.handle.remote(item), actor

    def bury(self, slot: int, actor: Any) -> None:
        """Take note that an actor died; several of its items say so."""
        if self._actors.get(slot) is actor:
            del self._actors[slot]

    def close(self) -> None:
        """Let the actors close what they opened."""
        closing = [actor.close.remote() for actor in self._actors.values()]
        self.ray.wait(closing, num_returns=len(closing), timeout=_CLOSING_SECONDS)


def _hand_out(crew: _Crew, items: Iterable[Any], slots: int) -> Iterator[Any]:
    source = iter(items)
    under_way: dict[Any, tuple[Any, int, Any, int]] = {}

    def give(slot: int, item: Any, deaths: int = 0) -> None:
        reference, actor = crew.give(slot, item)
        under_way[reference] = actor, slot, item, deaths

    for slot in [*range(slots)] * crew.concurrency:
        for item in islice(source, 1):
            give(slot, item)
    while under_way:
        (reference,), _ = crew.ray.wait(list(under_way), num_returns=1)
        actor, slot, item, deaths = under_way.pop(reference)
        try:
            result, failure = crew.ray.get(reference)
        except crew.ray.exceptions.RayActorError:
            if deaths + 1 == _DEATHS:
                raise CrabGraphError(
                    f"{_DEATHS} Ray workers died one after the other with the same work; "
                    "what they finished is kept"
                ) from None
            crew.bury(slot, actor)
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
        self,
        setup: Callable[[int], AbstractContextManager[Callable[[Any], Any]]],
        describe: Callable[[Exception], tuple[bool, str]],
        slot: int,
    ) -> None:
        self._describe = describe
        self._stack = ExitStack()
        self._failure: tuple[bool, str] | None = None
        try:
            self._handle = self._stack.enter_context(setup(slot))
        except Exception as error:  # what an actor raises here would only say that it died
            self._failure = describe(error)

    def handle(self, item: Any) -> tuple[Any, tuple[bool, str] | None]:
        """Return an item's result, or the failure as text."""
        if self._failure is not None:
            return None, self._failure
        try:
            return self._handle(item), None
        except Exception as error:
            return None, self._describe(error)

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
