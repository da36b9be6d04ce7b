"""A mutation of an episode, and the checks that must notice it (rulebook §13)."""

from collections.abc import Callable
from dataclasses import dataclass

from crab_graph.analysis.audit.telling import Telling


@dataclass(frozen=True, slots=True)
class Operator:
    """One line of the mutation matrix.

    Attributes:
        id: Such as `M08` or `N03`.
        edit: Changes a telling; `None` where the task lacks what it needs.
        flips: The checks that go from pass to fail, exactly.
    """

    id: str
    edit: Callable[[Telling], Telling | None]
    flips: frozenset[str] = frozenset()


def operator(name: str, edit: Callable[[Telling], Telling | None], *flips: str) -> Operator:
    """Return an operator."""
    return Operator(name, edit, frozenset(flips))
