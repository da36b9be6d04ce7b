"""Selection of tasks for difficulty and diversity (paper A.3)."""

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
        group: Values of the properties that tasks are spread over.
        content: What the seed solutions are made of; two tasks with the same content are one.
        solved_by_shortcut: Whether a solver that does not reason solves it.
    """

    number: int
    solutions: int
    node_distractors: int
    edge_distractors: int
    group: Group
    content: str
    solved_by_shortcut: bool


def select(candidates: Sequence[Candidate], wanted: int) -> list[Candidate]:
    """Return `wanted` candidates: no duplicates, hardest first, taking turns over the groups.

    A task with fewer valid solutions and more distractors is harder. What a shortcut solves is only
    taken where nothing else is left.
    """
    distinct: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda item: item.number):
        distinct.setdefault(candidate.content, candidate)
    chosen: list[Candidate] = []
    for solved in (False, True):
        rest = [item for item in distinct.values() if item.solved_by_shortcut is solved]
        chosen += _take_turns(rest, wanted - len(chosen))
    return chosen


def _take_turns(candidates: Sequence[Candidate], wanted: int) -> list[Candidate]:
    groups: dict[Group, list[Candidate]] = {}
    for candidate in sorted(candidates, key=_hardness):
        groups.setdefault(candidate.group, []).append(candidate)
    chosen: list[Candidate] = []
    while len(chosen) < wanted and any(groups.values()):
        for group in groups.values():
            if group and len(chosen) < wanted:
                chosen.append(group.pop(0))
    return chosen


def _hardness(candidate: Candidate) -> tuple[int, int, int, int]:
    distractors = (-candidate.node_distractors, -candidate.edge_distractors)
    return (candidate.solutions, *distractors, candidate.number)
