"""Proving that a private split is the one announced: open its commitment, generate it again."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.build import TaskPlan, build_task
from crab_graph.domains.generate import Progress, plan_candidates, regenerate
from crab_graph.domains.private import Opening, commit, read_opening
from crab_graph.domains.scout import ATTEMPTS, candidate_seed, scout
from crab_graph.domains.task import Task, TaskSpec
from crab_graph.errors import BenchmarkError


@dataclass(frozen=True, slots=True)
class Proof:
    """What an opening proves of a benchmark.

    Attributes:
        commitment: The benchmark's commitment.
        opens: Whether secret and settings hash to it.
        same: For each task looked at, whether generating it again gives the same task and rows.
    """

    commitment: str
    opens: bool
    same: dict[str, bool]

    @property
    def ok(self) -> bool:
        """Whether the benchmark is the one announced, as far as was looked."""
        return self.opens and all(self.same.values())

    def as_json(self) -> dict[str, Any]:
        """Return the form that `certify --open --json` prints."""
        return {"commitment": self.commitment, "opens": self.opens, "regenerated": self.same}


def prove(
    bench: Benchmark,
    opening: Path,
    *,
    task: Task | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Proof:
    """Open a benchmark's commitment and generate its tasks again.

    Args:
        bench: A benchmark that was announced by a commitment.
        opening: The opening file.
        task: The only task to generate again; its seed must be one that the secret gives.
        jobs: Number of processes.
        progress: Told of every step that is done.

    Raises:
        BenchmarkError: the benchmark has no commitment, or the file is no opening.
    """
    settings = bench.manifest.settings
    if settings.commitment is None or settings.sweep is not None:
        raise BenchmarkError(f"{bench.directory}: was not announced by a commitment")
    opened = read_opening(opening)
    if commit(opened.secret, settings) != settings.commitment:
        return Proof(settings.commitment, opens=False, same={})
    if task is not None:
        again = _draw_again(bench, task, opened)
        return Proof(settings.commitment, True, {task.id: _is_same(bench, task, again)})
    with TemporaryDirectory(prefix="crab-graph-") as scratch:
        whole = regenerate(Path(scratch) / "bench", settings, opened.seed, jobs, progress)
        specs: Iterator[TaskSpec] = (one.spec for one in whole)
        same = {one.id: _is_same(bench, one, spec) for one, spec in zip(bench, specs, strict=False)}
        return Proof(settings.commitment, len(whole) == len(bench), same)


def _draw_again(bench: Benchmark, task: Task, opened: Opening) -> TaskSpec | None:
    """Return the task as its candidate gives it; `None` where no candidate has its seed."""
    settings = bench.manifest.settings
    for plan in plan_candidates(settings, opened.seed):
        seeds = (candidate_seed(plan, attempt) for attempt in range(ATTEMPTS))
        if plan.stratum == task.stratum and task.spec.seed in seeds:
            chosen = scout(plan)
            return build_task(
                TaskPlan(task.id, settings.domain, settings.distractors, chosen, settings.paper)
            ).spec
    return None


def _is_same(bench: Benchmark, task: Task, again: TaskSpec | None) -> bool:
    """Whether a task of the benchmark is what was generated again, and the manifest names it."""
    return again == task.spec and task.spec.rows_sha256 == bench.entry(task.id).rows_sha256
