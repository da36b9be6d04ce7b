"""Solvers that do not reason over the whole task; what they solve measures little (design §5).

Each commits to one object a node, in order: the cheapest that is compatible with what it has so
far. They differ in the object they begin with.
"""

from collections.abc import Mapping

import numpy as np

from crab_graph.generation.constraints import Ref
from crab_graph.generation.counting import Rows
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.grouping import IntArray
from crab_graph.generation.objects import Columns, Mask

PRICE = "price"
"""The property that a solver in a hurry looks at first."""


def solve_cheapest(folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows) -> bool:
    """Return whether taking the cheapest compatible object next, node by node, solves the task.

    Args:
        folded: The task graph.
        objects: Columns of each node's objects.
        valid: Positions of the node-valid ones.
    """
    first = folded.graph.node_ids[0]
    return _chain_solves(folded, objects, valid, valid[first])


def solve_rarest(folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows) -> bool:
    """Return whether beginning with the rarest value of some property solves the task.

    Every property that the first node's edges read is tried, as a rare date may betray the seed.
    """
    first = folded.graph.node_ids[0]
    names = [name for name in folded.edge_properties(first) if name != PRICE]
    for name in names:
        column = objects[first][name][valid[first]]
        values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
        if len(values) > 1:
            start = valid[first][codes == counts.argmin()]
            if _chain_solves(folded, objects, valid, start):
                return True
    return False


def solve_from_random(
    folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows, rng: np.random.RandomState
) -> bool:
    """Return whether the chain solves the task from a first object drawn at random."""
    first = folded.graph.node_ids[0]
    start = valid[first][[rng.randint(len(valid[first]))]]
    return _chain_solves(folded, objects, valid, start)


def _chain_solves(
    folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows, start: IntArray
) -> bool:
    chosen: dict[str, int] = {}
    for node in folded.graph.node_ids:
        rows = valid[node] if chosen else start
        rows = rows[_compatible(folded, objects, chosen, node, rows)]
        if len(rows) == 0:
            return False
        chosen[node] = int(rows[objects[node][PRICE][rows].argmin()])
    values = {
        (node, name): column[chosen[node], None].tolist()[0]
        for node, columns in objects.items()
        for name, column in columns.items()
    }
    return all(edge.holds(values) for edge in folded.edges)


def _compatible(
    folded: FoldedGraph,
    objects: Mapping[str, Columns],
    chosen: Mapping[str, int],
    node: str,
    rows: IntArray,
) -> Mask:
    """Return which objects break no edge with what was chosen; sums are left to the end."""
    fits = np.ones(len(rows), dtype=np.bool_)

    def value(ref: Ref) -> object:
        owner, name = ref
        column = objects[owner][name]
        return column[rows] if owner == node else column[chosen[owner]]

    for edge in folded.edges:
        if edge.linear is None and node in edge.nodes and {*chosen, node}.issuperset(edge.nodes):
            fits &= np.asarray(edge.evaluate(value), dtype=np.bool_)
    return fits
