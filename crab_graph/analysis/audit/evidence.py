"""The grading half of the validity evidence: replays, agents, mutations, privacy (rulebook §13)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

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
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.task import Task

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
    benchmark: Benchmark, *, quick: bool = False, report: Callable[[str], None] = lambda name: None
) -> list[Gate]:
    """Return the evidence that grading is sound on a benchmark.

    Args:
        benchmark: The benchmark.
        quick: Whether a sample is enough.
        report: Told the name of each part before it begins.
    """
    extent = QUICK if quick else FULL
    parts: dict[str, Callable[[], list[Gate]]] = {
        "replays": lambda: [_replays(_sample(benchmark, extent.replayed), extent.solutions)],
        "solver": lambda: [_solver(_sample(benchmark, extent.solved), extent.conditions)],
        "red team": lambda: red_team_gates(_sample(benchmark, extent.attacked)),
        "mutations": lambda: _matrix(_sample(benchmark, extent.mutated)),
        "privacy": lambda: [privacy_gate(_sample(benchmark, extent.observed), CONDITIONS)],
        "determinism": lambda: determinism_gates(benchmark),
        "isolation": lambda: [isolation_gate(_sample(benchmark, extent.observed), CONDITIONS)],
    }
    gates = []
    for name, part in parts.items():
        report(name)
        gates += part()
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


def _solver(tasks: Sequence[Task], conditions: int) -> Gate:
    from crab_graph.runs.episode import run_episode  # noqa: PLC0415  (loads LangGraph)

    failed, total = [], 0
    for number, task in enumerate(tasks):
        for offset in range(conditions):
            condition = CONDITIONS[(number * conditions + offset) % len(CONDITIONS)]
            total += 1
            record = run_episode(task, "solver", condition, seed=number % 3)
            if not (record.passed and record.strict.get("passed")):
                failed.append(f"{record.episode_id}: {record.primary_failure or 'strict'}")
    note = f"{total} episodes of {len(tasks)} tasks over {len(CONDITIONS)} conditions and 3 seeds"
    return rate_gate("solver", total - len(failed), total, _told(note, failed))


def _matrix(tasks: Sequence[Task]) -> list[Gate]:
    cells = [cell for task in tasks for cell in matrix(task)]
    composed = [cell for number, task in enumerate(tasks) for cell in _composed(task, number)]
    unused = sorted({cell.name for cell in cells} - {c.name for c in cells if not c.is_skipped})
    note = f"{len(MUTATIONS)} mutations, {len(NEUTRAL)} neutral; nowhere possible: "
    return [
        _exactness("mutations", cells, note + (", ".join(unused) or "none")),
        _exactness("mutations x neutral", composed, "neutral changes on top of mutations"),
    ]


def _composed(task: Task, offset: int) -> Iterator[Cell]:
    pairs = [
        (mutation, NEUTRAL[(number + offset) % len(NEUTRAL)])
        for number, mutation in enumerate(MUTATIONS)
    ]
    return compositions(task, pairs)


def _exactness(name: str, cells: Sequence[Cell], note: str) -> Gate:
    done = [cell for cell in cells if not cell.is_skipped]
    wrong = [cell.told() for cell in done if not cell.ok]
    counted = f"{len(done)} cells exact or not, {len(cells) - len(done)} skipped; {note}"
    return rate_gate(name, len(done) - len(wrong), len(done), _told(counted, wrong))


def _told(note: str, failed: Sequence[str]) -> str:
    return f"{note}; first off: {failed[0]}" if failed else note
