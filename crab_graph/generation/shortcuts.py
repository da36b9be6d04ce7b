"""Solvers in a hurry: what one of them solves measures little (design §5).

Each commits to one object a node, in order, the cheapest that is compatible with what it has so
far, and looks at no sum; they differ in where they begin.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crab_graph.generation.constraints import Ref
from crab_graph.generation.counting import Rows
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import IDENTITY, Columns, IntArray


class Shortcut(StrEnum):
    """Where a solver in a hurry begins."""

    CHEAPEST = "cheapest"
    """With the cheapest object."""
    RAREST = "rarest"
    """With the rarest value of some property, which may betray a solution."""
    RANDOM = "random first"
    """With any object."""


def find_shortcuts(
    folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows, rng: np.random.RandomState
) -> tuple[str, ...]:
    """Return the names of the shortcuts that solve a task.

    The objects of each node are given as columns, with the positions of the node-valid ones; `rng`
    draws the object of `Shortcut.RANDOM`.
    """
    solved = {
        Shortcut.CHEAPEST: _solve_cheapest(folded, objects, valid),
        Shortcut.RAREST: _solve_rarest(folded, objects, valid),
        Shortcut.RANDOM: _solve_from_random(folded, objects, valid, rng),
    }
    return tuple(str(name) for name, is_solved in solved.items() if is_solved)


PRICE = "price"
"""The property that a solver in a hurry looks at first."""


def _solve_cheapest(folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows) -> bool:
    """Return whether taking the cheapest compatible object next, node by node, solves the task."""
    return _chain_solves(folded, objects, valid, valid[folded.graph.node_ids[0]])


def _solve_rarest(folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows) -> bool:
    """Return whether beginning with the rarest value of some property solves the task.

    Every property that the first node's edges read is tried, as a rare date may betray the seed.
    """
    first = folded.graph.node_ids[0]
    for name in folded.edge_properties(first):
        if name == PRICE:
            continue
        column = objects[first][name][valid[first]]
        values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
        if len(values) > 1:
            start = valid[first][codes == counts.argmin()]
            if _chain_solves(folded, objects, valid, start):
                return True
    return False


def _solve_from_random(
    folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows, rng: np.random.RandomState
) -> bool:
    """Return whether the chain solves the task from a first object drawn at random."""
    first = folded.graph.node_ids[0]
    start = valid[first][[rng.randint(len(valid[first]))]]
    return _chain_solves(folded, objects, valid, start)


def _chain_solves(
    folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows, start: IntArray
) -> bool:
    """Whether the cheapest next object that breaks no edge, sums aside, leads to a solution."""
    places: dict[str, IntArray] = {}

    def value(ref: Ref) -> NDArray[Any]:
        return objects[ref[0]][ref[1]][places[ref[0]]]

    for node in folded.graph.node_ids:
        places[node] = valid[node] if places else start
        for edge in folded.edges:
            if edge.linear is None and node in edge.nodes and places.keys() >= set(edge.nodes):
                fits = np.asarray(edge.evaluate(value), dtype=np.bool_)
                places[node] = places[node][np.broadcast_to(fits, places[node].shape)]
        if len(places[node]) == 0:
            return False
        # Of what costs the same, or has no price, any will do that is not the first one made.
        looked_at = [IDENTITY, PRICE] if PRICE in objects[node] else [IDENTITY]
        order = np.lexsort([value((node, name)) for name in looked_at])
        places[node] = places[node][order[:1]]
    return all(np.all(edge.evaluate(value)) for edge in folded.edges)
