"""One sitting of a run: what is missing is done, in threads and processes, and kept at once."""

import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from langgraph.checkpoint.base import BaseCheckpointSaver

from crab_graph.agents.adapters import resolve_agent
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.task import Task
from crab_graph.errors import UsageError
from crab_graph.graph.savers import open_saver, stored_threads
from crab_graph.graph.users import with_open_model
from crab_graph.interrupts import told_of_interrupts
from crab_graph.models.hosts import keys_withheld
from crab_graph.runs.config import CHECKPOINTS, SHARDS
from crab_graph.runs.episode import Visit, play_episode
from crab_graph.runs.origin import Origin
from crab_graph.runs.plan import PlannedEpisode, is_settled, plan_episodes
from crab_graph.runs.sitting import Progress, Report, Sitting
from crab_graph.runs.store import IndexEntry, Shard, mend_shards
from crab_graph.runs.surroundings import undisturbed
from crab_graph.runs.warehouse import make_tables
from crab_graph.runs.writing import hold_worker, keeping
from crab_graph.schema import digest
from crab_graph.settings import RunLimits
from crab_graph.workers import Executor, run_parallel

Item = TypeVar("Item")

Amounts = Mapping[str, float]
"""Messages, turns, tool errors, tokens and dollars."""

_MANY_EPISODES = 100
"""A run with so many makes its tables at its end; those of a smaller one are made in a second."""

PRELOAD = ("crab_graph.runs.execution", "crab_graph.graph.build", "crab_graph.eval.verdict")
"""What processes of a run load once, together."""


class Allowance:
    """What is left of a run's caps during one sitting."""

    def __init__(self, limits: RunLimits | None, spent: Mapping[str, Amounts]) -> None:
        """Begin a sitting, given what each episode took in earlier ones."""
        self._limits = limits or RunLimits()
        self._spent = dict(spent)
        self._begun = time.monotonic()

    def spend(self, episode_id: str, amounts: Amounts) -> None:
        """Count an episode; one that is tried again holds what its earlier attempts took.

        Raises:
            UsageError: its cost is unknown, so that a limit on cost could not be kept.
        """
        self._spent[episode_id] = amounts
        if self._limits.max_cost is not None and amounts.get("unpriced"):
            raise UsageError(
                f"a limit on cost needs the price and the token counts of every model, and "
                f"'{episode_id}' used one without: see `prices=`"
            )

    def reached(self) -> str | None:
        """Return the name of a cap that is reached, if there is one."""
        for name, cap in vars(self._limits).items():
            what = name.removeprefix("max_")
            taken = time.monotonic() - self._begun if what == "seconds" else self.total(what)
            if cap is not None and taken >= cap:
                return str(name)
        return None

    def while_open(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield what there is to do until a cap is reached."""
        for item in items:
            if self.reached() is not None:
                return
            yield item

    def total(self, name: str) -> float:
        """Return what all episodes took of one thing."""
        return sum(amounts.get(name, 0) for amounts in self._spent.values())


def execute(sitting: Sitting, report: Report | None = None) -> None:
    """Run the episodes that are missing; report at the beginning and after each one.

    Raises:
        StorageError: the disk is full; what was finished is kept.
    """
    directory, config = sitting.directory, sitting.config
    finished = mend_shards(directory)
    plan = list(plan_episodes(config.tasks, config.users, config.trials, config.turns))
    settled = {one.id: finished[one.id] for one in plan if is_settled(finished.get(one.id))}
    todo = [one for one in plan if one.id not in settled]
    report = report or (lambda _: None)
    passed = sum(one.passed for one in settled.values())
    budget = Allowance(config.run_limits, {name: one.amounts for name, one in finished.items()})
    report(_progress(len(settled), len(plan), passed, None, budget))
    handed: dict[str, PlannedEpisode] = {}
    if todo:
        suffix = _suffix(sitting)
        # Which file holds each thread that is under way; a database holds them all.
        files = (
            () if sitting.terms.checkpoint else sorted((directory / CHECKPOINTS).glob("*.sqlite"))
        )
        places = {thread: path.name for path in files for thread in stored_threads(path)}
        handed = {one.id: one for one in _placed(places, todo, finished, suffix)}
        count = len(settled)
        with undisturbed(), told_of_interrupts() as is_interrupted:
            for done in _results(sitting, list(handed.values()), suffix, budget):
                count, passed = count + 1, passed + done.passed
                entry = IndexEntry(done.outcome, done.passed, handed[done.id].attempt)
                finished[done.id] = entry
                budget.spend(done.id, done.amounts)
                report(_progress(count, len(plan), passed, done.id, budget))
                if is_interrupted():
                    raise KeyboardInterrupt  # it came where Python ignores what is raised
    if all(is_settled(finished.get(one.id)) for one in plan):
        _forget(sitting, [one for one in plan if finished[one.id].outcome == "infra_error"])
    if todo and len(finished) >= _MANY_EPISODES:
        make_tables(directory)


def _progress(done: int, total: int, passed: int, last: str | None, budget: Allowance) -> Progress:
    tokens, dollars = int(budget.total("tokens")), budget.total("cost")
    stopped = budget.reached() if done < total else None
    return Progress(done, total, passed, last, tokens, dollars, stopped)


def _suffix(sitting: Sitting) -> str:
    """Return what tells the run's threads from those of other runs in the same database."""
    named: list[Any] = [sitting.config.identity()]
    if sitting.terms.checkpoint is not None:
        named.append(str(sitting.directory.resolve()))
    return digest(named)[:12]


def _forget(sitting: Sitting, failed: list[PlannedEpisode]) -> None:
    """Drop the checkpoints of a run that is done: those of episodes that were given up are left."""
    shutil.rmtree(sitting.directory / CHECKPOINTS, ignore_errors=True)
    if sitting.terms.checkpoint is None or not failed:
        return
    with open_saver(sitting.terms.checkpoint) as saver:
        for one in failed:
            saver.delete_thread(one.thread(_suffix(sitting)))


def _results(sitting: Sitting, todo: list[PlannedEpisode], suffix: str, budget: Allowance) -> Any:
    return run_parallel(
        budget.while_open(todo),
        partial(open_worker, sitting.handed_over(), suffix),
        jobs=min(sitting.terms.jobs, len(todo)),
        concurrency=min(sitting.terms.concurrency, len(todo)),
        preload=PRELOAD,
        executor=Executor(sitting.terms.executor),
    )


def _placed(
    places: dict[str, str],
    todo: list[PlannedEpisode],
    finished: dict[str, IndexEntry],
    suffix: str,
) -> list[PlannedEpisode]:
    """Return what is to be done, with the number of the attempt and the file of the thread."""
    placed = []
    for one in todo:
        before = finished.get(one.id)
        attempt = 1 if before is None else before.attempts + 1
        place = places.get(one.thread(suffix))
        lost = {} if before is None else dict(before.lost_usage)
        placed.append(replace(one, attempt=attempt, checkpoint=place, lost_usage=lost))
    return placed


@dataclass(frozen=True, slots=True)
class Done:
    """What a worker tells of an episode."""

    id: str
    outcome: str
    passed: bool
    amounts: Mapping[str, float]


@contextmanager
def open_worker(
    sitting: Sitting, suffix: str, slot: int
) -> Iterator[Callable[[PlannedEpisode], Done]]:
    """Open what a worker needs, and yield the function that runs an episode.

    `suffix` tells the run's threads from those of other runs; the worker's files carry its `slot`.
    """
    directory, point, origin = sitting.directory, sitting.config.fork, sitting.origin
    place = directory.absolute()  # an agent may leave the working directory
    with keys_withheld(sitting.keyless):
        agent = resolve_agent(sitting.agent)
        setup = with_open_model(sitting.setup)
    tasks = _Tasks(sitting.benchmark, max(8, 2 * sitting.terms.concurrency))
    with keeping(directory), hold_worker(place, slot), ExitStack() as stack:
        shard = Shard(place / SHARDS / f"part-{slot}.jsonl")
        stack.callback(shard.close)
        savers = _Savers(sitting, f"part-{slot}.sqlite", stack)

        def handle(episode: PlannedEpisode) -> Done:
            forked = None
            if origin is not None and point is not None and episode.turn is not None:
                forked = Origin(origin, point, episode.turn)
            with keeping(directory):
                saver, thread = savers.open(episode.checkpoint), episode.thread(suffix)
                again = (episode.attempt, episode.lost_usage, forked)
                visit = Visit(episode.trial, saver, thread, *again)
                task, user = tasks.get(episode.task_id), sitting.users[episode.user]
                record = play_episode(task, agent, user, setup, visit)
                shard.append(record)
                if record.outcome != "infra_error":  # that one goes on in its thread
                    saver.delete_thread(thread)  # not before the record is on the disk
            return Done(episode.id, record.outcome, record.passed, record.amounts)

        yield handle


class _Tasks:
    """The tasks of a benchmark, of which only those in use hold their tables in memory."""

    def __init__(self, bench: Benchmark, kept: int) -> None:
        self._bench = bench
        self._kept = kept
        self._recent: OrderedDict[str, Task] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, task_id: str) -> Task:
        with self._lock:
            task = self._recent.get(task_id) or self._bench[task_id]
            self._recent[task_id] = task
            self._recent.move_to_end(task_id)
            if len(self._recent) > self._kept:
                _, oldest = self._recent.popitem(last=False)
                vars(oldest).pop("world", None)  # read again when it is needed again
        return task


class _Savers:
    """The run's database; or a worker's own file, and those of earlier ones with its episodes."""

    def __init__(self, sitting: Sitting, own: str, stack: ExitStack) -> None:
        self._address = sitting.terms.checkpoint
        self._files = sitting.directory.absolute() / CHECKPOINTS
        if self._address is None:
            self._files.mkdir(exist_ok=True)
        self._own = own
        self._stack = stack
        self._opened: dict[str | Path, BaseCheckpointSaver[Any]] = {}
        self._lock = threading.Lock()

    def open(self, name: str | None) -> BaseCheckpointSaver[Any]:
        """Return the saver of a thread, by the name of the file that holds it already."""
        place = self._address or self._files / (name or self._own)
        with self._lock:
            if place not in self._opened:
                self._opened[place] = self._stack.enter_context(open_saver(place))
            return self._opened[place]
