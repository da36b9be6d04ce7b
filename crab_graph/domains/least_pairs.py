"""What the offers of a task must be whose user wants the least sum, such as of two fares.

Who takes what is cheapest by itself, slot by slot, or the first that is cheap, must go wrong, and
so must who takes the cheapest that go together, be there a whole job with them or none.
"""

from collections.abc import Mapping
from dataclasses import replace

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraints import Constraint
from crab_graph.generation.counting import EliminationCounter, Rows
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import Columns

LITTLE = 1.05
"""What a near miss costs at most, of the least sum."""

NEAR = 3
"""Near misses, of whole jobs, that there are at least."""


def check_least(folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows) -> None:
    """Refuse offers among which the least sum is found without comparing.

    Raises:
        UnsatisfiableTask: the cheapest that go together have it, or hardly any is little dearer.
    """
    for lesser in folded.graph.lesser:
        wish = next(item for item in folded.edges if item.name == lesser.name)
        least = int(wish.constants[wish.name])
        if not _has_decoys(folded, objects, valid, wish, least):
            raise UnsatisfiableTask(f"wish '{wish.name}': the cheapest that go together have it")
        counts = [
            _count(folded, objects, valid, wish, cents) for cents in (least, int(LITTLE * least))
        ]
        if counts[1] - counts[0] < NEAR:
            raise UnsatisfiableTask(f"wish '{wish.name}': hardly anything is little dearer")


def _has_decoys(
    folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows, wish: Constraint, least: int
) -> bool:
    """Tell whether something with a lesser sum goes together, other nodes aside."""
    lesser = replace(wish, constants={**wish.constants, wish.name: least - 1})
    inside = [one for one in folded.edges if one is not wish and {*one.nodes} <= {*wish.nodes}]
    nodes = wish.nodes
    rows = {node: valid[node] for node in nodes}
    own = {node: objects[node] for node in nodes}
    counter = EliminationCounter(nodes, [*inside, lesser], own, rows)
    return bool(counter.has_solution(nodes[0], rows[nodes[0]], rows).any())


def _count(
    folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows, wish: Constraint, cents: int
) -> int:
    """Return how many jobs there are with so high a sum at most."""
    bounded = replace(wish, constants={**wish.constants, wish.name: cents})
    edges = [bounded if item is wish else item for item in folded.edges]
    return EliminationCounter(folded.graph.node_ids, edges, objects, valid).count(valid)
