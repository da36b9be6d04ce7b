"""The ladder of difficulty: what a level adds to a task, beyond what the paper's tasks have.

Level 1 is the paper's. Each kind of difficulty is what makes real jobs hard, is certified as
solvable, and can be had by itself.
"""

import re
from collections.abc import Mapping, Sequence

from pydantic import Field

from crab_graph.errors import UsageError
from crab_graph.schema import FileModel


class Difficulty(FileModel):
    """How much of each kind of difficulty a task has.

    Attributes:
        joint: Wishes that depend on others or span several slots.
        faults: Times that the world goes wrong: sold to others, declined, timed out.
        changes: Times that the user changes their mind.
        fees: Whether lists leave out taxes and fees, which only a price tells: 1 or 0.
    """

    joint: int = 0
    faults: int = 0
    changes: int = 0
    fees: int = Field(0, exclude_if=lambda fees: not fees)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of which there is any, in order."""
        return tuple(name for name, amount in self if amount)


LADDER: Mapping[int, Difficulty] = {
    1: Difficulty(),
    2: Difficulty(joint=1),
    3: Difficulty(faults=1),
    4: Difficulty(joint=1, faults=1, changes=1),
    5: Difficulty(joint=3, faults=5, changes=2, fees=1),
}
"""What each level has."""

OPEN_DAYS = frozenset({5})
"""Levels whose tasks leave open on which of several days they begin, if their domain has such."""

ONE_MORE = 1
"""Of what a task whose level has none gets where it is asked for."""


def difficulty_of(
    level: int, *, faults: bool = False, changes: bool = False, fees: bool = False
) -> Difficulty:
    """Return how much of each kind a task of a level has, with those that are asked for beside."""
    asked = {"faults": faults, "changes": changes, "fees": fees}
    own = LADDER[level]
    more = {name: max(getattr(own, name), ONE_MORE) for name, is_asked in asked.items() if is_asked}
    return own.model_copy(update=more) if more else own


def parse_levels(items: Sequence[str]) -> tuple[int, ...]:
    """Return the levels that words such as `3` or `1..5` name.

    Raises:
        UsageError: one is neither.
    """
    found: list[int] = []
    for item in items:
        ends = re.split(r"\.\.|-", item.strip())
        if len(ends) > 2 or not all(end.isascii() and end.isdigit() for end in ends):
            asked = ",".join(items)
            raise UsageError(f"--level takes numbers from 1 to 5, such as 3 or 1..5, not '{asked}'")
        found += range(int(ends[0]), int(ends[-1]) + 1)
    return tuple(found)
