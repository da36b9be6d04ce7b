"""Wishes for the least sum, such as of two fares: settled when a job is drafted.

Of the solutions that the job has without the wish one with a low sum is drawn. What its parts cost
together is settled as the least, and these parts fill their slots in every solution: two solutions
with others would have to cost the same to the cent.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crab_graph.domain.declaration import Rule
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import Columns, IntArray, rows, take
from crab_graph.generation.seeds import ConcreteObject, draw_solutions
from crab_graph.randomness import derive_array_rng

_DRAWN = 400
"""Solutions, about, of which one with a low sum is taken."""

_LOW = (0.2, 0.5)
"""Share of them that have a lower sum."""


class Settled(NamedTuple):
    """The least sum of a wish, and what has it, by slot."""

    cents: int
    pinned: Mapping[str, ConcreteObject]


def settle_least(rule: Rule, folded: FoldedGraph, seed: int) -> Settled:
    """Settle a wish for the least sum, given what a job asks for beside it.

    Raises:
        UnsatisfiableTask: nothing meets all that, or what has the sum is tied to nothing else.
    """
    slots = tuple(dict.fromkeys(ref.partition(".")[0] for ref in rule.least))
    ties = (edge.nodes for edge in folded.edges if edge.linear is None)
    if not any({*nodes} & {*slots} and {*nodes} - {*slots} for nodes in ties):
        raise UnsatisfiableTask(f"wish '{rule.name}': what has the sum can be found by itself")
    rng = derive_array_rng(seed, "least sum", rule.name)
    found = draw_solutions(folded, _DRAWN, rng)
    totals = sum_of(rule.least, found)
    share = rng.uniform(*_LOW)
    place = np.argsort(totals, kind="stable")[[int(share * len(totals))]]
    pinned = {slot: rows(take(found[slot], place))[0] for slot in slots}
    return Settled(int(totals[place[0]]), pinned)


def sum_of(refs: Sequence[str], objects: Mapping[str, Columns]) -> IntArray:
    """Return the sums of some fields, `slot.field`, of objects that stand at one position."""
    parts = [ref.partition(".") for ref in refs]
    columns = (np.asarray(objects[slot][name], dtype=np.int64) for slot, _, name in parts)
    return np.asarray(np.sum([*columns], axis=0, dtype=np.int64))
