"""What the red team comes to on a benchmark, and the gap that strict grading closes (§13)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from crab_graph.analysis.audit.gates import Gate, none_gate
from crab_graph.domains.task import Task
from crab_graph.runs.episode import run_episode

NEVER = tuple(f"rt{number:02d}" for number in range(1, 15) if number != 5)
"""Those that pass nowhere; the cheapest offers of each slot may happen to be certified."""

CHEAPEST = "rt05"
GAP = ("rt15", "rt16")
"""Those that may pass parity grading, and never strict grading."""


class Attack(NamedTuple):
    """What one agent came to on one task, in parity grading and in strict grading."""

    agent: str
    task_id: str
    passed: bool
    strict: bool
    is_certified: bool
    """Whether all that it booked stands in one certified solution, and is all of it."""


def attacks(task: Task) -> Iterator[Attack]:
    """Let each agent work on a task with the plain user."""
    for name in (*NEVER, CHEAPEST, *GAP):
        record = run_episode(task, name, "generic")
        strict = bool(record.strict.get("passed"))
        yield Attack(name, task.id, record.passed, strict, _is_certified(task, record.trace))


def _is_certified(task: Task, trace: Sequence[dict[str, Any]]) -> bool:
    """Whether what was booked is a certified solution, read from the rows that were written."""
    rows = [event["row"] for call in trace for event in call["events"] if event["op"] == "insert"]
    booked = [row["entity_id"] for row in rows if "entity_id" in row]
    written = {str(value) for row in rows for value in row.values()}
    return any(
        len(booked) == len(solution)
        and all(set(ids.values()) <= written for ids in solution.values())
        for solution in task.solutions
    )


def red_team_gates(found: Sequence[Attack]) -> list[Gate]:
    """Return the gates of the red team."""
    tasks = len({one.task_id for one in found})
    parity = Counter(one.agent for one in found if one.passed)
    strict = Counter(one.agent for one in found if one.strict)
    cheapest = [one for one in found if one.agent == CHEAPEST]
    wrong = sum(one.passed and not one.is_certified for one in cheapest)
    certified = sum(one.is_certified for one in cheapest)
    counted = f"{parity[CHEAPEST]} of {tasks} passed, {certified} were certified"
    gap = sum(parity[name] for name in GAP) / (len(GAP) * tasks) if tasks else 0.0
    note = "parity pass rate of agents that disclose as little as may pass (rt15, rt16)"
    return [
        _never("red team, parity", parity, NEVER, tasks),
        _never("red team, strict", strict, (*NEVER, *GAP), tasks),
        none_gate("red team, cheapest", wrong, counted),
        Gate("strict gap", gap, None, "reported", True, note),
    ]


def _never(gate: str, passes: Counter[str], agents: Sequence[str], tasks: int) -> Gate:
    passing = [name for name in agents if passes[name]]
    note = f"{tasks} tasks each" + (f"; passing: {', '.join(passing)}" if passing else "")
    return none_gate(gate, sum(passes[name] for name in agents), note)
