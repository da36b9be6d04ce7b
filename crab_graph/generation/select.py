"""Selection of tasks for difficulty and diversity (paper A.3)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Group = tuple[str | int | bool | None, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What selection knows of a task.

    Attributes:
        number: Position among the candidates of its stratum.
        solutions: Number of valid solutions.
        node_distractors: Number of distractors that break a node constraint.
        edge_distractors: Number of node-valid distractors.
        active_edges: Number of active edges.
        group: Values of the properties that tasks are spread over.
        content: What the seed solutions are made of; two tasks with the same content are one.
        solved_by_shortcut: Whether a solver that does not reason solves it.
    """

    number: int
    solutions: int
    node_distractors: int
    edge_distractors: int
    active_edges: int
    group: Group
    content: str
    solved_by_shortcut: bool


def select(candidates: Sequence[Candidate], wanted: int) -> list[Candidate]:
    """Return `wanted` candidates: no duplicates, hardest first, taking turns over the groups.

    A task with fewer valid solutions and more distractors is harder. What a shortcut solves is only
    taken where nothing else with as many active edges is left: shortcuts fail more often where
    edges are many, so that the choice would otherwise shift their number.
    """
    distinct: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda item: item.number):
        distinct.setdefault(candidate.content, candidate)
    ranking = [
        candidate
        for solved in (False, True)
        for candidate in _take_turns(
            [item for item in distinct.values() if item.solved_by_shortcut is solved]
        )
    ]
    room = _shares([candidate.active_edges for candidate in ranking], wanted)
    chosen: list[Candidate] = []
    for candidate in ranking:
        if room[candidate.active_edges]:
            room[candidate.active_edges] -= 1
            chosen.append(candidate)
    return chosen


def _shares(numbers: Sequence[int], wanted: int) -> dict[int, int]:
    """Return how often each number is to be taken, as near its frequency as whole numbers come."""
    wanted = min(wanted, len(numbers))
    counts = Counter(numbers)
    shares = {number: wanted * count // len(numbers) for number, count in counts.items()}
    by_rest = sorted(counts, key=lambda number: (-(wanted * counts[number] % len(numbers)), number))
    for number in by_rest[: wanted - sum(shares.values())]:
        shares[number] += 1
    return shares


def _take_turns(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates hardest first, taking turns over the groups."""
    groups: dict[Group, list[Candidate]] = {}
    for candidate in sorted(candidates, key=_hardness):
        groups.setdefault(candidate.group, []).append(candidate)
    chosen: list[Candidate] = []
    while any(groups.values()):
        chosen += [group.pop(0) for group in groups.values() if group]
    return chosen


def _hardness(candidate: Candidate) -> tuple[int, int, int, int]:
    distractors = (-candidate.node_distractors, -candidate.edge_distractors)
    return (candidate.solutions, *distractors, candidate.number)
