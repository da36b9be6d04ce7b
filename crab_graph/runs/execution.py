"""One sitting of a run: what is missing is done, in threads and processes, and kept at once."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from crab_graph.graph.savers import open_saver, stored_threads
from crab_graph.runs.budget import Budget
from crab_graph.runs.config import CHECKPOINTS
from crab_graph.runs.episode_worker import open_worker
from crab_graph.runs.plan import PlannedEpisode, is_settled, plan_episodes
from crab_graph.runs.sitting import Progress, Report, Sitting
from crab_graph.runs.store import IndexEntry, load_index
from crab_graph.runs.warehouse import make_tables
from crab_graph.schema import digest
from crab_graph.workers import Executor, run_parallel

_MANY_EPISODES = 100
"""A run with so many makes its tables at its end; those of a smaller one are made in a second."""

PRELOAD = ("crab_graph.runs.episode_worker", "crab_graph.graph.build", "crab_graph.eval.verdict")
"""What processes of a run load once, together."""


def execute(sitting: Sitting, report: Report | None = None) -> None:
    """Run the episodes that are missing.

    Args:
        sitting: The sitting.
        report: Called at the beginning and after each episode.

    Raises:
        StorageError: the disk is full; what was finished is kept.
    """
    directory, config = sitting.directory, sitting.config
    finished = load_index(directory)
    plan = list(plan_episodes(config.tasks, config.users, config.trials, config.turns))
    settled = {one.id: finished[one.id] for one in plan if is_settled(finished.get(one.id))}
    todo = [one for one in plan if one.id not in settled]
    report = report or (lambda _: None)
    passed = sum(one.passed for one in settled.values())
    budget = Budget(config.run_limits, {name: one.amounts for name, one in finished.items()})
    report(_progress(len(settled), len(plan), passed, None, budget))
    handed: dict[str, PlannedEpisode] = {}
    if todo:
        suffix = _suffix(sitting)
        places = {} if sitting.terms.checkpoint else _checkpoints(directory)
        handed = {one.id: one for one in _placed(places, todo, finished, suffix)}
        count = len(settled)
        for done in _results(sitting, list(handed.values()), suffix, budget):
            count, passed = count + 1, passed + done.passed
            entry = IndexEntry(done.outcome, done.passed, handed[done.id].attempt)
            finished[done.id] = entry
            budget.spend(done.id, done.amounts)
            report(_progress(count, len(plan), passed, done.id, budget))
    if all(is_settled(finished.get(one.id)) for one in plan):
        _forget(sitting, [one for one in plan if finished[one.id].outcome == "infra_error"])
    if todo and len(finished) >= _MANY_EPISODES:
        make_tables(directory)


def _progress(done: int, total: int, passed: int, last: str | None, budget: Budget) -> Progress:
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


def _results(sitting: Sitting, todo: list[PlannedEpisode], suffix: str, budget: Budget) -> Any:
    jobs = min(sitting.terms.jobs, len(todo))
    concurrency = min(sitting.terms.concurrency, len(todo))
    return run_parallel(
        budget.while_open(todo),
        partial(open_worker, sitting.handed_over(), suffix),
        jobs=jobs,
        concurrency=concurrency,
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


def _checkpoints(directory: Path) -> dict[str, str]:
    """Return which file holds each thread that is under way."""
    files = sorted((directory / CHECKPOINTS).glob("*.sqlite"))
    return {thread: path.name for path in files for thread in stored_threads(path)}
