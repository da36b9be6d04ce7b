"""Wishes that exclude nothing: at least the least of what there is, or at most the most."""

from collections.abc import Iterator, Sequence
from operator import gt, lt
from typing import Any

from crab_graph.domain.declaration import Declaration
from crab_graph.domain.english import joined
from crab_graph.domain.field_problems import listed
from crab_graph.domain.fields import Capacity, Choice, Stock
from crab_graph.domain.request_types import fixed_values

_MISSES = {"at_least": lt, "at_most": gt}


def idle_bounds(declaration: Declaration) -> Iterator[str]:
    """Yield the wishes with values that every offer meets, and what to do."""
    for want in declaration.wants:
        misses = _MISSES.get(want.compare)
        if misses is None or not want.on:
            continue
        offered = [_values(declaration, ref) for ref in want.on]
        for value in dict.fromkeys(fixed_values(want)):
            if all(own and not any(misses(one, value) for one in own) for own in offered):
                bound, refs = want.compare.replace("_", " "), joined(want.on)
                yield (
                    f"want '{want.key}': {bound} {value} excludes nothing, as {refs} can only be "
                    f"{listed(offered[0])}; leave {value} out of its values"
                )


def _values(declaration: Declaration, ref: str) -> Sequence[Any]:
    """Return all that a field can be, where that is declared."""
    field = declaration.field_at(ref)
    return field.values if isinstance(field, Choice | Capacity | Stock) else ()
