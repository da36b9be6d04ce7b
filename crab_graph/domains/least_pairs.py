"""What the offers of a task must be whose user wants the least sum, such as of two fares.

Who takes what is cheapest by itself, slot by slot, or the first that is cheap, must go wrong.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraints import Constraint
from crab_graph.generation.counting import EliminationCounter, Rows
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import Columns, IntArray

LITTLE = 1.05
"""What a near miss costs at most, of the least sum."""

NEAR = 5
"""Near misses, of whole jobs, that there are at least."""


def check_least(folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows) -> None:
    """Refuse offers among which the least sum is found without comparing.

    Raises:
        UnsatisfiableTask: what is cheapest by itself has it, or hardly anything is little dearer.
    """
    for lesser in folded.graph.lesser:
        wish = next(item for item in folded.edges if item.name == lesser.name)
        least = int(wish.constants[wish.name])
        apart = sum(int(_column(objects, valid, ref).min()) for ref in wish.refs)
        if apart >= least:
            raise UnsatisfiableTask(f"wish '{wish.name}': what is cheapest by itself has it")
        counts = [
            _count(folded, objects, valid, wish, cents) for cents in (least, int(LITTLE * least))
        ]
        if counts[1] - counts[0] < NEAR:
            raise UnsatisfiableTask(f"wish '{wish.name}': hardly anything is little dearer")


def _column(objects: Mapping[str, Columns], valid: Rows, ref: tuple[str, str]) -> IntArray:
    return np.asarray(objects[ref[0]][ref[1]], dtype=np.int64)[valid[ref[0]]]


def _count(
    folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows, wish: Constraint, cents: int
) -> int:
    """Return how many jobs there are with so high a sum at most."""
    bounded = replace(wish, constants={**wish.constants, wish.name: cents})
    edges = [bounded if item is wish else item for item in folded.edges]
    return EliminationCounter(folded.graph.node_ids, edges, objects).count(valid)
