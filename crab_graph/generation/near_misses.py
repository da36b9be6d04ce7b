"""Near misses: combinations that break exactly one edge (design §5).

They are what makes a task hard: an agent that forgets one dependency accepts them.
"""

from collections.abc import Mapping

from crab_graph.generation.constraints import Constraint
from crab_graph.generation.counting import EliminationCounter, Rows
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import Columns

MINIMUM = 10
"""Combinations that must break each active edge alone."""


def count_near_misses(
    folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows
) -> dict[str, int]:
    """Return, for each active edge, how many combinations break that edge and nothing else.

    Args:
        folded: The task graph.
        objects: Columns of each node's objects.
        valid: Positions of the node-valid ones.
    """
    counts = {}
    for edge in folded.edges:
        edges = [_broken(other, edge) for other in folded.edges]
        counts[edge.name] = EliminationCounter(folded.graph.node_ids, edges, objects).count(valid)
    return counts


def _broken(edge: Constraint, target: Constraint) -> Constraint:
    return edge.negated() if edge is target else edge
