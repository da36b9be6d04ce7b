"""What is proven of a finished benchmark: its counts, and that it is the one announced."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.candidate_turns import plan_candidates
from crab_graph.domains.construction import ATTEMPTS, candidate_seed, finish_task, scout
from crab_graph.domains.generate import Progress, regenerate, task_plan
from crab_graph.domains.private import Opening, commit, read_opening
from crab_graph.domains.task import Task, TaskSpec
from crab_graph.errors import BenchmarkError, UnknownName
from crab_graph.generation.certify import Certificate
from crab_graph.generation.constraints import Value
from crab_graph.workers import run_parallel

_BATCH = 20
"""Tasks certified together; a process takes about as long to start as a batch to certify."""

_Counted = list[tuple[str, Certificate]]


def certify_benchmark(
    bench: Benchmark | str | Path,
    tasks: Sequence[str] | None = None,
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Certificate]:
    """Count the solutions of tasks again on their stored tables, three ways each.

    A certificate is `ok` where all counts are the number that the task must have. `tasks` are ids;
    all by default. One process a core works on them, where there is work for it.

    Raises:
        UnknownName: the benchmark has no such task.
        CrabGraphError: the rows of a task were changed after generation.
    """
    benchmark = bench if isinstance(bench, Benchmark) else load_benchmark(bench)
    known = [entry.id for entry in benchmark.manifest.tasks]
    listed = tasks.split(",") if isinstance(tasks, str) else tasks
    task_ids = known if listed is None else list(listed)
    for task_id in set(task_ids) - set(known):
        raise UnknownName("task", task_id, known)
    batches = [task_ids[at : at + _BATCH] for at in range(0, len(task_ids), _BATCH)]
    processes = min(jobs or os.cpu_count() or 1, len(batches))
    setup = partial(_opened, benchmark.directory)
    certified: dict[str, Certificate] = {}
    for counted in run_parallel(batches, setup, jobs=processes, preload=(__name__,)):
        certified.update(counted)
        progress(len(certified), len(task_ids))
    return {task_id: certified[task_id] for task_id in task_ids}


@contextmanager
def _opened(directory: Path, slot: int) -> Iterator[Callable[[Sequence[str]], _Counted]]:
    del slot
    benchmark = load_benchmark(directory)
    with benchmark.reading() as connection:

        def certify(task_ids: Sequence[str]) -> _Counted:
            tasks = benchmark.load(task_ids)
            return list(zip(task_ids, benchmark.certify_tasks(tasks, connection), strict=True))

        yield certify


class Spoilage(NamedTuple):
    """How many tasks have more solutions than their seeds combine to.

    They are those of one stratum and one value of the domain's first axis, if it has any. Only
    tasks made without repair can (section 3.2.3, Algorithm 3): the ablation of the repair.
    """

    stratum: int
    axes: Mapping[str, Value]
    tasks: int
    spoiled: int
    median_extra: int
    max_extra: int
    median_edge_distractors: int

    def as_json(self) -> dict[str, Any]:
        """Return the row as `certify --json` prints it."""
        row = self._asdict()
        return {"stratum": row.pop("stratum"), **row.pop("axes"), **row}


def summarise_spoilage(certified: Iterable[tuple[Task, Certificate]]) -> list[Spoilage]:
    """Return a row for each stratum and value of the first axis among the tasks, in order."""
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    axes: dict[tuple[int, int], dict[str, Value]] = {}
    for task, certificate in certified:
        extra = certificate.sql - certificate.expected
        first = task.domain.axes[:1]
        value = {axis.name: task.axes[axis.name] for axis in first}
        place = max((axis.values.index(value[axis.name]) for axis in first), default=0)
        axes[task.stratum, place] = value
        group = groups.setdefault((task.stratum, place), [])
        group.append((extra, task.spec.edge_distractors))
    rows = []
    for (stratum, place), group in sorted(groups.items()):
        added, distractors = [more for more, _ in group], [number for _, number in group]
        spoiled = sum(more > 0 for more in added)
        middle = int(median(added)), max(added), int(median(distractors))
        rows.append(Spoilage(stratum, axes[stratum, place], len(group), spoiled, *middle))
    return rows


class Proof(NamedTuple):
    """What an opening proves: whether it opens the commitment, and which tasks it gives again."""

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

    With a task given that one alone is generated again; its seed must be one the secret gives.

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
            return finish_task(task_plan(task.id, settings, chosen)).spec
    return None


def _is_same(bench: Benchmark, task: Task, again: TaskSpec | None) -> bool:
    """Whether a task of the benchmark is what was generated again, and the manifest names it."""
    return again == task.spec and task.spec.rows_sha256 == bench.entry(task.id).rows_sha256
