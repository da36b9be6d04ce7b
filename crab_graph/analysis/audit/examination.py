"""What is done to one task for the evidence that grading is sound, one unit of work each (§13)."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from crab_graph.agents.adapters import AgentSpec
from crab_graph.agents.reference.desk import Desk
from crab_graph.agents.reference.planning import Plan, Shortlist
from crab_graph.agents.reference.wishes import Wishes
from crab_graph.analysis.audit.attacks import Attack, attacks
from crab_graph.analysis.audit.mutations import MUTATIONS, MatrixCell, compositions, matrix
from crab_graph.analysis.audit.telling import Unplayable, perfect
from crab_graph.analysis.audit.text_mutations import NEUTRAL
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.task import SolutionIds, Task
from crab_graph.runs.episode import run_episode

CONDITIONS = ("generic", "terse", "neutral", "impatient", "d1", "d2", "d3", "d4", "ruse")
SEEDS = 3


class UnitKind(StrEnum):
    """What a unit of work does."""

    REPLAY = "replay"
    DIALOGUE = "dialogue"
    SOLVE = "solve"
    ATTACK = "attack"
    MUTATE = "mutate"


class Unit(NamedTuple):
    """One unit of work.

    Attributes:
        kind: What it does.
        task_id: To which task.
        number: Its number among its kind, by which work is spread over conditions, seeds and pairs.
        first: The first solution, or condition, that it is about.
        last: The one after the last.
    """

    kind: UnitKind
    task_id: str
    number: int
    first: int = 0
    last: int = 1


class Finding(NamedTuple):
    """What a unit of work found.

    Attributes:
        unit: The unit.
        done: How many episodes were examined.
        users: Under which conditions, where a user took part.
        failed: What was off, a line each.
        cells: Cells of the mutation matrix.
        attacks: What the red team came to.
    """

    unit: Unit
    done: int = 0
    users: frozenset[str] = frozenset()
    failed: tuple[str, ...] = ()
    cells: tuple[MatrixCell, ...] = ()
    attacks: tuple[Attack, ...] = ()


def examine(directory: Path, unit: Unit) -> Finding:
    """Do one unit of work on a benchmark."""
    return _EXAMINATIONS[unit.kind](_opened(directory)[unit.task_id], unit)


class Guide(Desk):
    """Asks, searches and books as the solver does, and chooses a given solution."""

    def __init__(self, solution: SolutionIds) -> None:
        """Hand it the solution."""
        self._solution = solution

    def choose(self, offers: Shortlist, wishes: Wishes) -> Plan | None:
        """Return the solution, if all of it is among the offers that fit the wishes."""
        solution, stay = self._solution, self._solution["hotel"]
        fitting = (
            [o for o in offers.outbound.get(stay["check_in"], ()) if _is(o, solution["outbound"])],
            [o for o in offers.back.get(stay["check_out"], ()) if _is(o, solution["return"])],
            [o for o in offers.rooms.get(stay["check_in"], ()) if _is(o, stay)],
            [o for o in offers.attractions if _is(o, solution["attraction"])],
        )
        if not all(fitting) or wishes.party_size is None or wishes.nights is None:
            return None
        outbound, back, rooms, visits = fitting
        return Plan(outbound[0], back[0], rooms[0], visits[0], wishes.party_size, wishes.nights)


def _is(offer: object, ids: Mapping[str, str]) -> bool:
    return all(getattr(offer, name, value) == value for name, value in ids.items())


@cache
def _opened(directory: Path) -> Benchmark:
    """Return a benchmark, opened once in each process."""
    return load_benchmark(directory)


def _replay(task: Task, unit: Unit) -> Finding:
    """Grade the perfect telling of each solution."""
    failed = []
    for number in range(unit.first, unit.last):
        try:
            verdict = perfect(task, task.solutions[number]).grade()
        except Unplayable as error:
            reason = str(error)
        else:
            if verdict.passed and verdict.strict["passed"]:
                continue
            reason = verdict.primary_failure or "strict"
        failed.append(f"{task.id} solution {number + 1}: {reason}")
    return Finding(unit, unit.last - unit.first, failed=tuple(failed))


def _converse(task: Task, unit: Unit) -> Finding:
    """Book each solution in a dialogue with a user."""
    numbers = range(unit.first, unit.last)
    played = [(Guide(task.solutions[number]), unit.number + number) for number in numbers]
    return _played(task, unit, played)


def _solve(task: Task, unit: Unit) -> Finding:
    """Let the solver work with some users."""
    return _played(task, unit, [("solver", number) for number in range(unit.first, unit.last)])


def _played(task: Task, unit: Unit, episodes: Sequence[tuple[AgentSpec, int]]) -> Finding:
    """Play episodes, each an agent and a number that tells user and seed; all must pass."""
    failed, users = [], set()
    for agent, number in episodes:
        condition = CONDITIONS[number % len(CONDITIONS)]
        users.add(condition)
        seed = (number + number // len(CONDITIONS)) % SEEDS
        record = run_episode(task, agent, condition, seed=seed)
        if not (record.passed and record.strict.get("passed")):
            reason = record.error or record.primary_failure or "strict"
            failed.append(f"{record.episode_id} seed {seed}: {reason}")
    return Finding(unit, len(episodes), frozenset(users), tuple(failed))


def _attack(task: Task, unit: Unit) -> Finding:
    found = tuple(attacks(task))
    return Finding(unit, len(found), attacks=found)


def _mutate(task: Task, unit: Unit) -> Finding:
    pairs = [
        (mutation, NEUTRAL[(place + unit.number) % len(NEUTRAL)])
        for place, mutation in enumerate(MUTATIONS)
    ]
    cells = (*matrix(task), *compositions(task, pairs))
    return Finding(unit, len(cells), cells=cells)


_EXAMINATIONS: Mapping[UnitKind, Callable[[Task, Unit], Finding]] = {
    UnitKind.REPLAY: _replay,
    UnitKind.DIALOGUE: _converse,
    UnitKind.SOLVE: _solve,
    UnitKind.ATTACK: _attack,
    UnitKind.MUTATE: _mutate,
}
