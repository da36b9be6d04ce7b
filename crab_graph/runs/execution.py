"""One sitting of a run: what is missing is done, in threads and processes, and kept at once."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crab_graph.graph.user_settings import UserSettings
from crab_graph.runs.plan import PlannedEpisode, is_settled, plan_episodes
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.store import (
    CHECKPOINTS,
    IndexEntry,
    RunConfig,
    checkpoint_files,
    load_index,
)
from crab_graph.runs.worker import Job, open_worker
from crab_graph.schema import digest
from crab_graph.workers import run_parallel

if TYPE_CHECKING:
    from crab_graph.agents.adapters import AgentSpec
    from crab_graph.domains.benchmark import Benchmark

_PRELOAD = ("crab_graph.runs.worker", "crab_graph.graph.build", "crab_graph.eval.verdict")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes:
        done: Episodes that are finished, those of earlier sittings included.
        total: Episodes in all.
        passed: Episodes among the finished ones that passed.
        last: Id of the episode that was finished just now; `None` at the beginning.
    """

    done: int
    total: int
    passed: int
    last: str | None = None


Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Sitting:
    """What a sitting needs.

    Attributes:
        directory: The run's directory.
        config: What the run is.
        bench: Its benchmark.
        agent: The agent.
        users: The users, as the plan counts them.
        settings: What plays the users.
        jobs: Number of processes.
        concurrency: Episodes at once in each.
        report: Called at the beginning and after each episode.
        origin: The episode from which its episodes go on, if they are forks.
    """

    directory: Path
    config: RunConfig
    bench: "Benchmark"
    agent: "AgentSpec"
    users: tuple[Any, ...]
    settings: UserSettings
    jobs: int = 1
    concurrency: int = 1
    report: Report | None = None
    origin: EpisodeRecord | None = None


def execute(sitting: Sitting) -> None:
    """Run the episodes that are missing.

    Raises:
        StorageError: the disk is full; what was finished is kept.
    """
    directory, config = sitting.directory, sitting.config
    finished = load_index(directory)
    plan = list(plan_episodes(config.tasks, config.users, config.trials, config.turns))
    settled = {one.id: finished[one.id] for one in plan if is_settled(finished.get(one.id))}
    todo = [one for one in plan if one.id not in settled]
    report = sitting.report or (lambda _: None)
    passed = sum(one.passed for one in settled.values())
    report(Progress(len(settled), len(plan), passed))
    handed: dict[str, PlannedEpisode] = {}
    if todo:
        suffix = digest(config.settings())[:12]
        handed = {one.id: one for one in _placed(directory, todo, finished, suffix)}
        count = len(settled)
        for done in _results(sitting, list(handed.values()), suffix):
            count, passed = count + 1, passed + done.passed
            entry = IndexEntry(done.outcome, done.passed, handed[done.id].attempt)
            finished[done.id] = entry
            report(Progress(count, len(plan), passed, done.id))
    if all(is_settled(finished.get(one.id)) for one in plan):
        shutil.rmtree(directory / CHECKPOINTS, ignore_errors=True)


def _results(sitting: Sitting, todo: list[PlannedEpisode], suffix: str) -> Any:
    jobs = min(sitting.jobs, len(todo))
    concurrency = min(sitting.concurrency, len(todo))
    bench = sitting.bench
    job = Job(
        directory=sitting.directory,
        benchmark=bench if jobs == 1 else bench.directory.resolve(),
        agent=sitting.agent,
        users=sitting.users,
        seed=sitting.config.seed,
        limits=sitting.config.limits,
        thread_suffix=suffix,
        concurrency=concurrency,
        settings=sitting.settings,
        origin=sitting.origin,
        point=sitting.config.fork,
    )
    setup = partial(open_worker, job)
    return run_parallel(todo, setup, jobs=jobs, concurrency=concurrency, preload=_PRELOAD)


def _placed(
    directory: Path,
    todo: list[PlannedEpisode],
    finished: dict[str, IndexEntry],
    suffix: str,
) -> list[PlannedEpisode]:
    """Return what is to be done, with the number of the attempt and the file of the thread."""
    places = _checkpoints(directory)
    placed = []
    for one in todo:
        before = finished.get(one.id)
        attempt = 1 if before is None else before.attempts + 1
        place = places.get(one.thread(suffix))
        placed.append(replace(one, attempt=attempt, checkpoint=place))
    return placed


def _checkpoints(directory: Path) -> dict[str, str]:
    """Return which file holds each thread that is under way."""
    from crab_graph.graph.checkpoint import stored_threads  # noqa: PLC0415  (loads LangGraph)

    files = checkpoint_files(directory)
    return {thread: path.name for path in files for thread in stored_threads(path)}
