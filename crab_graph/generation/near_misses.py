"""Near misses: combinations that break exactly one edge (design §5).

They are what makes a task hard: an agent that forgets one dependency accepts them.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from crab_graph.generation.candidates import holds_beside
from crab_graph.generation.constraints import Constraint
from crab_graph.generation.counting import EliminationCounter, Rows
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import Columns, take
from crab_graph.generation.seeds import SeedSolution

MINIMUM = 10
"""Combinations that must break each active edge alone."""


def count_near_misses(
    folded: FoldedGraph,
    objects: Mapping[str, Columns],
    valid: Rows,
    names: Sequence[str] | None = None,
    enough: int | None = None,
) -> dict[str, int]:
    """Return, for each active edge, how many combinations break that edge and nothing else.

    Args:
        folded: The task graph.
        objects: Columns of each node's objects.
        valid: Positions of the node-valid ones.
        names: Edges to break, where it is not all of them.
        enough: From this many objects of one node on that stand in such combinations, their number
            is returned, a lower bound that takes a fifth of the time.
    """
    counts = {}
    for edge in folded.edges:
        if names is not None and edge.name not in names:
            continue
        edges = [_broken(other, edge) for other in folded.edges]
        counter = EliminationCounter(folded.graph.node_ids, edges, objects)
        if enough is not None:
            node = max(edge.nodes, key=lambda node: len(valid[node]))
            involved = int(counter.has_solution(node, valid[node], valid).sum())
            if involved >= enough:
                counts[edge.name] = involved
                continue
        counts[edge.name] = counter.count(valid)
    return counts


def lacks_near_misses(
    folded: FoldedGraph,
    objects: Mapping[str, Columns],
    valid: Rows,
    seeds: Sequence[SeedSolution],
) -> str | None:
    """Return the name of an edge that fewer than `MINIMUM` combinations break alone, if any.

    Seeds with one object exchanged are counted first; only where they are too few are all
    combinations.
    """
    sure = _count_exchanges(folded, objects, valid, seeds)
    for edge in folded.edges:
        if sure[edge.name] < MINIMUM:
            counts = count_near_misses(folded, objects, valid, [edge.name], enough=MINIMUM)
            if counts[edge.name] < MINIMUM:
                return edge.name
    return None


def _count_exchanges(
    folded: FoldedGraph,
    objects: Mapping[str, Columns],
    valid: Rows,
    seeds: Sequence[SeedSolution],
) -> dict[str, int]:
    """Return for each edge in how many ways one exchanged object of one seed breaks it alone."""
    best = dict.fromkeys(folded.active_edges, 0)
    own_of = {node: take(objects[node], rows) for node, rows in valid.items()}
    for item in seeds:
        counts = dict.fromkeys(best, 0)
        for node, own in own_of.items():
            breaks = np.array([~holds_beside(edge, node, item, own) for edge in folded.edges])
            alone = breaks & (breaks.sum(axis=0) == 1)
            for edge, ways in zip(folded.edges, alone.sum(axis=1).tolist(), strict=True):
                counts[edge.name] += ways
        best = {name: max(best[name], counts[name]) for name in best}
    return best


def _broken(edge: Constraint, target: Constraint) -> Constraint:
    return edge.negated() if edge is target else edge
