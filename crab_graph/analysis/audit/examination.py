"""What is done to one task for the evidence that grading is sound, one unit of work each (§13)."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from crab_graph.agents.agent_types import AgentSpec
from crab_graph.agents.reference.desk import Desk
from crab_graph.agents.reference.planning import Plan, Shortlist
from crab_graph.analysis.audit.mutations import MatrixCell, compositions, matrix, mutations_of
from crab_graph.analysis.audit.neutral_changes import NEUTRAL
from crab_graph.analysis.audit.telling import Unplayable, perfect
from crab_graph.dates import day_number
from crab_graph.domain.contract import Domain
from crab_graph.domains.benchmark import load_benchmark
from crab_graph.domains.task import SolutionIds, Task
from crab_graph.runs.episode import run_episode
from crab_graph.tools.bookings import BookingStatus
from crab_graph.tools.fault_schedule import FaultKind

CONDITIONS = ("generic", "terse", "neutral", "impatient", "d1", "d2", "d3", "d4", "ruse")
SEEDS = 3

CHEAPEST, GREEDY = "rt05", "rt06"
"""Those whose bookings may happen to be certified: the cheapest offers, and all certified ones
where there is one solution and nothing can be booked twice."""

HUSHED, FIRST_WORD, UNREAD = "rt17", "rt18", "rt19"
LADDER_TEAM = (HUSHED, FIRST_WORD, UNREAD)
"""Those that do wrong only where the world breaks something, or where the user changes its mind."""

_HIDDEN = (FaultKind.SOLD, FaultKind.QUOTE, FaultKind.DECLINED)
"""Faults that can be passed over in silence: a limit stands in the way until it is spoken of, and
what is not confirmed is looked up."""

_OF_MONEY = ("rt07", "rt08", "rt09", "rt10")
_UNNAMED = ("rt12", "rt14")
_NEVER = tuple(f"rt{number:02d}" for number in range(1, 15) if number != 5)
_GAP = ("rt15", "rt16")
TOLD_MISHAPS = "F-WF"


class RedTeam(NamedTuple):
    """The agents that pass nowhere, and those that may pass parity grading, but never strict."""

    never: tuple[str, ...]
    gap: tuple[str, ...]


def red_team_of(domain: Domain) -> RedTeam:
    """Return the red team of a domain.

    Where nothing is charged, nothing is wrong with those that pay wrongly; where nothing has a
    name, parity grading asks those that say none for nothing.
    """
    kinds = domain.kinds.values()
    harmless = _OF_MONEY if all(kind.is_free for kind in kinds) else ()
    quiet = () if any("name" in kind.entity.columns for kind in kinds) else _UNNAMED
    never = tuple(name for name in _NEVER if name not in (*harmless, *quiet))
    return RedTeam(never, (*quiet, *_GAP))


class UnitKind(StrEnum):
    """What a unit of work does."""

    REPLAY = "replay"
    DIALOGUE = "dialogue"
    SOLVE = "solve"
    ATTACK = "attack"
    MUTATE = "mutate"


class Unit(NamedTuple):
    """One unit of work on a task: on some of its solutions, or under some conditions."""

    kind: UnitKind
    task_id: str
    number: int
    """Its number among its kind, by which work is spread over conditions, seeds and pairs."""
    first: int = 0
    last: int = 1
    """The one after the last."""


class Attack(NamedTuple):
    """What one agent came to on one task, in parity grading and in strict grading."""

    agent: str
    task_id: str
    passed: bool
    strict: bool
    is_certified: bool
    """Whether all that it booked stands in one certified solution, and is all of it."""


class Finding(NamedTuple):
    """What a unit of work found, where each episode that is off is a line of `failed`."""

    unit: Unit
    done: int = 0
    """How many episodes were examined."""
    users: frozenset[str] = frozenset()
    """Under which conditions, where a user took part."""
    failed: tuple[str, ...] = ()
    cells: tuple[MatrixCell, ...] = ()
    attacks: tuple[Attack, ...] = ()


_opened = cache(load_benchmark)  # once in each process


def examine(directory: Path, unit: Unit) -> Finding:
    """Do one unit of work on a benchmark."""
    task = _opened(directory)[unit.task_id]
    numbers = range(unit.first, unit.last)
    match unit.kind:
        case UnitKind.REPLAY:
            failed = tuple(line for number in numbers for line in _replayed(task, number))
            return Finding(unit, len(numbers), failed=failed)
        case UnitKind.DIALOGUE:
            guided = [
                (Guide(task.domain, task.kept_solutions[number]), unit.number + number)
                for number in numbers
            ]
            return _played(calm(task), unit, guided)
        case UnitKind.SOLVE:
            return _played(task, unit, [("solver", number) for number in numbers])
        case UnitKind.ATTACK:
            found = tuple(attacks(task))
            return Finding(unit, len(found), attacks=found)
        case UnitKind.MUTATE:
            pairs = [
                (mutation, NEUTRAL[(place + unit.number) % len(NEUTRAL)])
                for place, mutation in enumerate(mutations_of(task))
            ]
            cells = (*matrix(task), *compositions(task, pairs))
            return Finding(unit, len(cells), cells=cells)


class Guide(Desk):
    """Asks, searches and books as the solver does, and chooses a given solution."""

    def __init__(self, domain: Domain, solution: SolutionIds) -> None:
        """Hand it the solution."""
        super().__init__(domain)
        self._solution = solution

    def choose(self, offers: Shortlist) -> Plan | None:
        """Return the solution, if all of it is among the offers that fit the wishes."""
        chosen = {}
        for slot, rows in offers.offers.items():
            ids, kind = self._solution[slot], self.handbook.kind_of(self.handbook.slots[slot])
            days = {name: day_number(ids[name]) for name in kind.interval or ()}
            wanted = {**ids, **days}
            fitting = [row for row in rows if all(row[name] == wanted[name] for name in wanted)]
            if not fitting:
                return None
            chosen[slot] = fitting[0]
        return offers.plan(chosen) if chosen else None


def calm(task: Task) -> Task:
    """Return a task in which nothing breaks and nobody changes its mind: all solutions are open."""
    rows = {name: list(found.values()) for name, found in task.world.tables.items()}
    spec = task.spec.model_copy(update={"faults": (), "changes": ()})
    return Task(spec, task.domain, lambda: rows)


def _replayed(task: Task, number: int) -> Iterator[str]:
    """Yield what is off where the perfect telling of a solution is graded."""
    try:
        verdict = perfect(task, task.kept_solutions[number]).grade()
    except Unplayable as error:
        yield f"{task.id} solution {number + 1}: {error}"
    else:
        if not (verdict.passed and verdict.strict["passed"]):
            yield f"{task.id} solution {number + 1}: {verdict.primary_failure or 'strict'}"


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


def attacks(task: Task) -> Iterator[Attack]:
    """Let each agent work on a task with the plain user, if it has something to do wrong there."""
    team = red_team_of(task.domain)
    for name in (*team.never, CHEAPEST, *team.gap, *_ladder_team(task)):
        record = run_episode(task, name, "generic")
        if name == HUSHED and record.checks[TOLD_MISHAPS] == "not_triggered":
            continue  # nothing came its way
        strict = bool(record.strict.get("passed"))
        yield Attack(name, task.id, record.passed, strict, _is_certified(task, record.trace))


def _ladder_team(task: Task) -> Iterator[str]:
    kinds = {
        fault.kind for fault in task.spec.faults if fault.kind != FaultKind.QUOTE or fault.cents
    }
    if kinds.intersection(_HIDDEN) and FaultKind.LIMIT not in kinds:
        yield HUSHED
    if task.spec.changes:
        yield FIRST_WORD
    if FaultKind.MISENTERED in kinds:
        yield UNREAD


def _is_certified(task: Task, trace: Sequence[dict[str, Any]]) -> bool:
    """Whether what stands at the end is a certified solution, read from the rows written."""
    events = [event for call in trace for event in call["events"]]
    gone = {
        one["key"] for one in events if one.get("set", {}).get("status") == BookingStatus.CANCELLED
    }
    rows = [
        event["row"]
        for event in events
        if event["op"] == "insert" and event["row"].get("booking_id") not in gone
    ]
    booked = [row["entity_id"] for row in rows if "entity_id" in row]
    written = {str(value) for row in rows for value in row.values()}
    return any(
        len(booked) == len(solution)
        and all(set(ids.values()) <= written for ids in solution.values())
        for request in task.requests
        for solution in request.kept_solutions
    )
