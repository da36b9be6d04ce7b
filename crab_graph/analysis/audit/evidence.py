"""The grading half of the validity evidence: replays, agents, mutations, privacy (rulebook §13)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from crab_graph.analysis.audit.gates import Gate, Interval
from crab_graph.analysis.audit.mutations import MUTATIONS, Cell, compositions, matrix
from crab_graph.analysis.audit.neutral import NEUTRAL
from crab_graph.analysis.audit.red_team import red_team_gates
from crab_graph.analysis.audit.replays import Unplayable, perfect
from crab_graph.analysis.audit.sound_episodes import (
    determinism_gates,
    isolation_gate,
    privacy_gate,
)
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.task import Task
from crab_graph.workers import process_map

CONDITIONS = ("generic", "terse", "neutral", "impatient", "d1", "d2", "d3", "d4", "ruse")
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of a benchmark is looked at; `None` is all of it.

    Attributes:
        replayed: Tasks whose certified solutions are replayed.
        solutions: Solutions replayed of each.
        solved: Tasks the solver works on.
        conditions: Conditions each of them is met under; the first task under the first ones.
        mutated: Tasks the mutation matrix is applied to.
        attacked: Tasks the red team works on.
        observed: Episodes that are watched for leaks, and run side by side.
    """

    replayed: int | None = None
    solutions: int | None = None
    solved: int | None = None
    conditions: int = len(CONDITIONS)
    mutated: int | None = 40
    attacked: int | None = 12
    observed: int = 9


FULL = Extent()
QUICK = Extent(replayed=8, solutions=2, solved=5, conditions=2, mutated=2, attacked=1, observed=2)


def grading_gates(
    benchmark: Benchmark,
    *,
    quick: bool = False,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Gate]:
    """Return the evidence that grading is sound on a benchmark.

    Args:
        benchmark: The benchmark.
        quick: Whether a sample is enough.
        jobs: Number of processes.
        progress: Told of every part that is done.
    """
    extent = QUICK if quick else FULL
    observed = _sample(benchmark, extent.observed)
    parts: tuple[Callable[[], list[Gate]], ...] = (
        lambda: [_replays(_sample(benchmark, extent.replayed), extent.solutions)],
        lambda: [_solver(benchmark, extent, jobs)],
        lambda: red_team_gates(_sample(benchmark, extent.attacked)),
        lambda: _matrix(benchmark, extent, jobs),
        lambda: [privacy_gate(observed, CONDITIONS)],
        lambda: determinism_gates(benchmark),
        lambda: [isolation_gate(observed, CONDITIONS)],
    )
    gates = []
    for done, part in enumerate(parts, start=1):
        gates += part()
        progress(done, len(parts))
    return gates


def rate_gate(name: str, passed: int, total: int, note: str) -> Gate:
    """Return the gate of a rate that must be 1."""
    value = passed / total if total else 0.0
    return Gate(name, value, wilson_interval(passed, total), "= 1", value == 1.0, note)


def wilson_interval(passed: int, total: int) -> Interval | None:
    """Return Wilson's 95 % interval of a rate."""
    if not total:
        return None
    rate, weight = passed / total, _Z**2 / total
    middle = (rate + weight / 2) / (1 + weight)
    reach = _Z / (1 + weight) * sqrt(rate * (1 - rate) / total + weight / (4 * total))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def _sample(benchmark: Benchmark, size: int | None) -> list[Task]:
    """Return tasks spread evenly over the benchmark, so over its strata."""
    if size is None or size >= len(benchmark):
        return list(benchmark)
    return [benchmark[number * len(benchmark) // size] for number in range(size)]


def _replays(tasks: Sequence[Task], most: int | None) -> Gate:
    failed, total = [], 0
    for task in tasks:
        for number, solution in enumerate(task.solutions[:most], start=1):
            total += 1
            try:
                verdict = perfect(task, solution).grade()
            except Unplayable as error:
                failed.append(f"{task.id} solution {number}: {error}")
                continue
            if not (verdict.passed and verdict.strict["passed"]):
                failed.append(f"{task.id} solution {number}: {verdict.primary_failure or 'strict'}")
    note = f"{total} certified solutions of {len(tasks)} tasks, both gradings"
    return rate_gate("replays", total - len(failed), total, _told(note, failed))


class _Numbered(NamedTuple):
    """A task and its number in a sample, by which work is spread over conditions and pairs."""

    number: int
    task_id: str


def _numbered(benchmark: Benchmark, size: int | None) -> list[_Numbered]:
    tasks = enumerate(_sample(benchmark, size))
    return [_Numbered(number, task.id) for number, task in tasks]


@cache
def _opened(directory: Path) -> Benchmark:
    """Return a benchmark, opened once in each process."""
    return load_benchmark(directory)


def _solver(benchmark: Benchmark, extent: Extent, jobs: int) -> Gate:
    tasks = _numbered(benchmark, extent.solved)
    solve = partial(_unsolved, benchmark.directory, extent.conditions)
    failed = sorted(line for lines in process_map(solve, tasks, jobs) for line in lines)
    total = len(tasks) * extent.conditions
    note = f"{total} episodes of {len(tasks)} tasks over {len(CONDITIONS)} conditions and 3 seeds"
    return rate_gate("solver", total - len(failed), total, _told(note, failed))


def _unsolved(directory: Path, conditions: int, item: _Numbered) -> list[str]:
    """Return the episodes of a task that the solver does not pass, and why."""
    from crab_graph.runs.episode import run_episode  # noqa: PLC0415  (loads LangGraph)

    failed, task = [], _opened(directory)[item.task_id]
    for offset in range(conditions):
        condition = CONDITIONS[(item.number * conditions + offset) % len(CONDITIONS)]
        record = run_episode(task, "solver", condition, seed=item.number % 3)
        if not (record.passed and record.strict.get("passed")):
            failed.append(f"{record.episode_id}: {record.primary_failure or 'strict'}")
    return failed


def _matrix(benchmark: Benchmark, extent: Extent, jobs: int) -> list[Gate]:
    tasks = _numbered(benchmark, extent.mutated)
    mutate = partial(_mutated, benchmark.directory)
    cells = [cell for found in process_map(mutate, tasks, jobs) for cell in found]
    cells.sort(key=lambda cell: (cell.task_id, cell.name))
    single = [cell for cell in cells if not cell.is_composed]
    composed = [cell for cell in cells if cell.is_composed]
    unused = sorted({cell.name for cell in single} - {c.name for c in single if not c.is_skipped})
    note = f"{len(MUTATIONS)} mutations, {len(NEUTRAL)} neutral; nowhere possible: "
    return [
        _exactness("mutations", single, note + (", ".join(unused) or "none")),
        _exactness("mutations x neutral", composed, "neutral changes on top of mutations"),
    ]


def _mutated(directory: Path, item: _Numbered) -> list[Cell]:
    task = _opened(directory)[item.task_id]
    pairs = [
        (mutation, NEUTRAL[(number + item.number) % len(NEUTRAL)])
        for number, mutation in enumerate(MUTATIONS)
    ]
    return [*matrix(task), *compositions(task, pairs)]


def _exactness(name: str, cells: Sequence[Cell], note: str) -> Gate:
    done = [cell for cell in cells if not cell.is_skipped]
    wrong = [cell.told() for cell in done if not cell.ok]
    counted = f"{len(done)} cells, {len(cells) - len(done)} skipped; {note}"
    return rate_gate(name, len(done) - len(wrong), len(done), _told(counted, wrong))


def _told(note: str, failed: Sequence[str]) -> str:
    return f"{note}; first off: {failed[0]}" if failed else note
