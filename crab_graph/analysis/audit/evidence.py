"""The grading half of the validity evidence: replays, agents, mutations, privacy (rulebook §13)."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from crab_graph.analysis.audit.examination import (
    CHEAPEST,
    CONDITIONS,
    GREEDY,
    LADDER_TEAM,
    SEEDS,
    Attack,
    Finding,
    RedTeam,
    Unit,
    UnitKind,
    examine,
    red_team_of,
)
from crab_graph.analysis.audit.gates import Gate, none_gate, rate_gate
from crab_graph.analysis.audit.giveaways import generation_gates
from crab_graph.analysis.audit.mutations import MatrixCell
from crab_graph.analysis.audit.neutral_changes import NEUTRAL
from crab_graph.analysis.audit.sound_episodes import (
    determinism_gates,
    isolation_gate,
    privacy_gate,
)
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.task import Task
from crab_graph.eval.statistics import rests_on
from crab_graph.settings import About
from crab_graph.workers import Bar, no_bar, process_map

_CHUNK = 8
"""Solutions in one unit of work: a task may have hundreds."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How many tasks of a benchmark each part looks at; `None` is all of them."""

    replayed: int | None = None
    solutions: int | None = None
    """Solutions replayed of each task."""
    conversed: int | None = None
    solved: int | None = None
    conditions: int = len(CONDITIONS)
    """Users that each solved task is met by; the next task by the next ones."""
    mutated: int | None = 40
    attacked: int | None = 12
    observed: int = 9
    """Episodes that are watched for leaks, and run side by side."""


HALVES = ("generation", "grading")
FULL = Extent()
QUICK = Extent(
    replayed=8, solutions=2, conversed=3, solved=4, conditions=2, mutated=2, attacked=1, observed=2
)


def audit_benchmark(
    bench: Benchmark | str | Path,
    only: Literal["generation", "grading"] | None = None,
    *,
    quick: bool = False,
    jobs: int = 1,
    bar: Bar = no_bar,
) -> list[Gate]:
    """Return the validity evidence of a benchmark, or one half of it: gates, each `ok` or not.

    With `quick` a sample is looked at where grading is examined. `bar` opens what shows how far
    each half is.

    Raises:
        BenchmarkError: there is no benchmark, or another version of its domain made it.
    """
    benchmark = bench if isinstance(bench, Benchmark) else load_benchmark(bench)
    About(choices=HALVES).check("only", only)
    benchmark.check_playable()
    gates: list[Gate] = []
    if only != "grading":
        with bar("Examining tasks") as progress:
            gates += generation_gates(benchmark, jobs=jobs, progress=progress)
    if only != "generation":
        with bar("Examining grading") as progress:
            gates += grading_gates(benchmark, quick=quick, jobs=jobs, progress=progress)
    return gates


def grading_gates(
    benchmark: Benchmark,
    *,
    quick: bool = False,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Gate]:
    """Return the evidence that grading is sound on a benchmark, or on a sample of it (`quick`).

    `progress` is told of every unit of work that is done.
    """
    extent = QUICK if quick else FULL
    units = _units(benchmark, extent)
    observed = _sample(benchmark, extent.observed)
    last: tuple[Callable[[], list[Gate]], ...] = (
        lambda: [privacy_gate(observed, CONDITIONS)],
        lambda: determinism_gates(benchmark),
        lambda: [isolation_gate(observed, CONDITIONS)],
    )
    total = len(units) + len(last)
    findings: list[Finding] = []
    for finding in process_map(partial(examine, benchmark.directory), units, jobs):
        findings.append(finding)
        progress(len(findings), total)
    team = red_team_of(benchmark.domain)
    gates = _gates(sorted(findings, key=lambda one: one.unit), team)
    for done, part in enumerate(last, start=len(findings) + 1):
        gates += part()
        progress(done, total)
    return gates


def _sample(benchmark: Benchmark, size: int | None) -> list[Task]:
    """Return tasks spread evenly over the benchmark, so over its strata."""
    if size is None or size >= len(benchmark):
        return list(benchmark)
    return [benchmark[number * len(benchmark) // size] for number in range(size)]


def _units(benchmark: Benchmark, extent: Extent) -> list[Unit]:
    """Return all work, the longest first, so that processes end together."""
    most, users = extent.solutions, extent.conditions
    units: list[Unit] = []
    for kind, size in ((UnitKind.DIALOGUE, extent.conversed), (UnitKind.REPLAY, extent.replayed)):
        before = 0
        for task in _sample(benchmark, size):
            count = len(task.kept_solutions[:most])
            for first in range(0, count, _CHUNK):
                units.append(Unit(kind, task.id, before, first, min(first + _CHUNK, count)))
            before += count
    for number, task in enumerate(_sample(benchmark, extent.solved)):
        units.append(Unit(UnitKind.SOLVE, task.id, number, number * users, (number + 1) * users))
    for kind, size in ((UnitKind.ATTACK, extent.attacked), (UnitKind.MUTATE, extent.mutated)):
        for number, task in enumerate(_sample(benchmark, size)):
            units.append(Unit(kind, task.id, number))
    return units


def _gates(findings: Sequence[Finding], team: RedTeam) -> list[Gate]:
    by_kind = {kind: [one for one in findings if one.unit.kind is kind] for kind in UnitKind}
    cells = [cell for found in by_kind[UnitKind.MUTATE] for cell in found.cells]
    cells.sort(key=lambda cell: (cell.task_id, cell.name))
    single = [cell for cell in cells if not cell.is_composed]
    composed = [cell for cell in cells if cell.is_composed]
    used = Counter(cell.name for cell in single if not cell.is_skipped)
    tried = {cell.name for cell in single}
    unused = ", ".join(sorted(tried - set(used))) or "none"
    mutations = len(tried - {one.id for one in NEUTRAL})
    note = f"{mutations} mutations, {len(NEUTRAL)} neutral; nowhere possible: {unused}"
    return [
        _passed("replays", by_kind[UnitKind.REPLAY], "certified solutions"),
        _passed("dialogues", by_kind[UnitKind.DIALOGUE], "certified solutions"),
        _passed("solver", by_kind[UnitKind.SOLVE], "episodes"),
        *red_team_gates([one for found in by_kind[UnitKind.ATTACK] for one in found.attacks], team),
        _exactness("mutations", single, note),
        _exactness("mutations x neutral", composed, "neutral changes on top of mutations"),
    ]


def _passed(name: str, findings: Sequence[Finding], what: str) -> Gate:
    failed = [line for found in findings for line in found.failed]
    total = sum(found.done for found in findings)
    tasks = len({found.unit.task_id for found in findings})
    users = frozenset[str]().union(*(found.users for found in findings))
    met = f" with {len(users)} kinds of users and {SEEDS} seeds" if users else ""
    return rate_gate(name, total, failed, f"{total} {what} of {tasks} tasks{met}, both gradings")


def _exactness(name: str, cells: Sequence[MatrixCell], note: str) -> Gate:
    done = [cell for cell in cells if not cell.is_skipped]
    wrong = [cell.told() for cell in done if not cell.ok]
    counted = f"{len(done)} cells, {len(cells) - len(done)} skipped; {note}"
    return rate_gate(name, len(done), wrong, counted)


def red_team_gates(found: Sequence[Attack], team: RedTeam) -> list[Gate]:
    """Return the gates of the red team."""
    tasks = len({one.task_id for one in found})
    wrong = [one for one in found if one.agent != GREEDY or not one.is_certified]
    parity = Counter(one.agent for one in wrong if one.passed)
    strict = Counter(one.agent for one in wrong if one.strict)
    cheapest = [one for one in found if one.agent == CHEAPEST]
    lucky = sum(one.is_certified for one in cheapest)
    counted = f"{parity[CHEAPEST]} of {tasks} passed, {lucky} were certified"
    uncertified = sum(one.passed and not one.is_certified for one in cheapest)
    gap = sum(parity[name] for name in team.gap) / (len(team.gap) * tasks) if tasks else 0.0
    names = ", ".join(team.gap)
    note = (
        f"parity pass@1 of agents that disclose as little as may pass ({names}): "
        f"{rests_on(tasks, len(team.gap) * tasks)}"
    )
    return [
        _never("red team, parity", parity, (*team.never, *LADDER_TEAM), tasks),
        _never("red team, strict", strict, (*team.never, *team.gap, *LADDER_TEAM), tasks),
        none_gate("red team, cheapest", uncertified, counted),
        Gate("strict gap", gap, None, "reported", True, note),
    ]


def _never(gate: str, passes: Counter[str], agents: Sequence[str], tasks: int) -> Gate:
    passing = [name for name in agents if passes[name]]
    note = f"{tasks} tasks each" + (f"; passing: {', '.join(passing)}" if passing else "")
    return none_gate(gate, sum(passes[name] for name in agents), note)
