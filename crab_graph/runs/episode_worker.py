"""One worker of a run: plays episodes, keeps each when it is finished, forgets its thread."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from crab_graph.agents.adapters import resolve_agent
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.task import Task
from crab_graph.graph.savers import open_saver
from crab_graph.graph.users import with_open_model
from crab_graph.runs.config import CHECKPOINTS, SHARDS
from crab_graph.runs.episode import Visit, play_episode
from crab_graph.runs.origin import Origin
from crab_graph.runs.plan import PlannedEpisode
from crab_graph.runs.sitting import Sitting
from crab_graph.runs.store import Shard
from crab_graph.runs.writing import hold_worker, keeping

_WORLDS_KEPT = 8


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

    Args:
        sitting: The sitting, handed over to this process.
        suffix: What tells the run's threads from those of other runs.
        slot: The worker's number, which its files carry.
    """
    directory, point, origin = sitting.directory, sitting.config.fork, sitting.origin
    agent = resolve_agent(sitting.agent)
    setup = with_open_model(sitting.setup)
    tasks = _Tasks(sitting.benchmark, max(_WORLDS_KEPT, 2 * sitting.terms.concurrency))
    with keeping(directory), hold_worker(directory), ExitStack() as stack:
        shard = Shard(directory / SHARDS / f"part-{slot}.jsonl")
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
        self._files = sitting.directory / CHECKPOINTS
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
