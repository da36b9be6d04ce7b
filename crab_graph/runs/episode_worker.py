"""One worker of a run: plays episodes, keeps each when it is finished, forgets its thread."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from crab_graph.agents.adapters import AgentSpec, resolve_agent
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.task import Task
from crab_graph.graph.savers import open_saver
from crab_graph.graph.setup import Setup
from crab_graph.graph.users import UserSpec, with_open_model
from crab_graph.runs.config import CHECKPOINTS, SHARDS, ForkPoint
from crab_graph.runs.episode import Visit, play_episode
from crab_graph.runs.origin import Origin
from crab_graph.runs.plan import PlannedEpisode
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.store import Shard
from crab_graph.runs.writing import hold_worker, keeping

_WORLDS_KEPT = 8


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to know.

    Attributes:
        directory: The run's directory.
        benchmark: The benchmark, or its directory for another process.
        agent: The agent.
        users: The users, as planned episodes count them.
        setup: What plays them.
        thread_suffix: What tells the run's threads from those of other runs.
        concurrency: Episodes at once.
        checkpoint: Address of the database for checkpoints, if they are not in the directory.
        origin: The episode from which the planned ones go on, if they are forks.
        point: Where they do.
    """

    directory: Path
    benchmark: Benchmark | Path
    agent: AgentSpec
    users: tuple[UserSpec, ...]
    setup: Setup
    thread_suffix: str
    concurrency: int
    checkpoint: str | None = None
    origin: EpisodeRecord | None = None
    point: ForkPoint | None = None

    def origin_of(self, episode: PlannedEpisode) -> Origin | None:
        """Return where a planned episode goes on from, if it is a fork."""
        if self.origin is None or self.point is None or episode.turn is None:
            return None
        return Origin(self.origin, self.point, episode.turn)


@dataclass(frozen=True, slots=True)
class Done:
    """What a worker tells of an episode."""

    id: str
    outcome: str
    passed: bool
    amounts: Mapping[str, float]


@contextmanager
def open_worker(job: Job, slot: int) -> Iterator[Callable[[PlannedEpisode], Done]]:
    """Open what a worker needs, and yield the function that runs an episode."""
    bench = job.benchmark
    if not isinstance(bench, Benchmark):
        bench = load_benchmark(bench).with_toolset(job.setup.settings.toolset)
    agent = resolve_agent(job.agent)
    setup = with_open_model(job.setup)
    tasks = _Tasks(bench, max(_WORLDS_KEPT, 2 * job.concurrency))
    with keeping(job.directory), hold_worker(job.directory), ExitStack() as stack:
        shard = Shard(job.directory / SHARDS / f"part-{slot}.jsonl")
        stack.callback(shard.close)
        savers = _open_savers(job, slot, stack)

        def handle(episode: PlannedEpisode) -> Done:
            with keeping(job.directory):
                saver = savers(episode.checkpoint)
                thread = episode.thread(job.thread_suffix)
                visit = Visit(
                    episode.trial,
                    saver,
                    thread,
                    episode.attempt,
                    episode.lost_usage,
                    job.origin_of(episode),
                )
                task, user = tasks.get(episode.task_id), job.users[episode.user]
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


def _open_savers(
    job: Job, slot: int, stack: ExitStack
) -> Callable[[str | None], BaseCheckpointSaver[Any]]:
    """Return what gives the saver of a thread, by the name of the file that holds it."""
    if job.checkpoint is None:
        return _Savers(job.directory / CHECKPOINTS, f"part-{slot}.sqlite", stack).open

    shared = stack.enter_context(open_saver(job.checkpoint))
    return lambda _: shared


class _Savers:
    """A worker's own checkpoint file, and those of earlier workers that hold its episodes."""

    def __init__(self, directory: Path, own: str, stack: ExitStack) -> None:
        directory.mkdir(exist_ok=True)
        self._directory = directory
        self._own = own
        self._stack = stack
        self._open: dict[str, BaseCheckpointSaver[Any]] = {}
        self._lock = threading.Lock()

    def open(self, name: str | None) -> BaseCheckpointSaver[Any]:

        name = name or self._own
        with self._lock:
            if name not in self._open:
                saver = self._stack.enter_context(open_saver(self._directory / name))
                self._open[name] = saver
            return self._open[name]
