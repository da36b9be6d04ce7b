"""Decoys: what goes together, and would be better, were there anything for the other nodes.

Where some parts are the same in every solution, since they come to the least sum, others that come
to less are put among the edge distractors first. All that is accepted later leaves them without a
solution, so that who looks at these nodes alone goes wrong.
"""

from collections.abc import Mapping

import numpy as np

from crab_graph.generation.candidates import CandidatePool
from crab_graph.generation.constraints import equals
from crab_graph.generation.counting import EliminationCounter
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import (
    IDENTITY,
    Columns,
    IntArray,
    Mask,
    concatenate,
    length,
    take,
)
from crab_graph.generation.seeds import ConcreteObject, Solutions

TRIED = 40
"""Decoys that are tried."""

MOST = 6
"""Decoys that are taken at most."""


def with_decoys(
    folded: FoldedGraph,
    pools: Mapping[str, CandidatePool],
    solutions: Solutions,
    pinned: Mapping[str, ConcreteObject],
) -> dict[str, CandidatePool]:
    """Return the pools of candidates, those of `pinned` nodes with parts of solutions as decoys.

    What must be alike in two pinned nodes is what it is in what is pinned.
    """
    found = dict(pools)
    if not pinned:
        return found
    alike = np.ones(len(next(iter(solutions.values()))[IDENTITY]), dtype=np.bool_)
    for edge in folded.edges:
        if edge.predicate is equals and pinned.keys() >= {*edge.nodes}:
            for node, name in edge.refs:
                alike &= np.asarray(solutions[node][name]) == pinned[node][name]
    for node, own in pinned.items():
        alike &= np.asarray(solutions[node][IDENTITY]) != own[IDENTITY]
    places = _distinct(solutions, list(pinned), alike)
    for node in pinned:
        found[node] = _with(folded, node, pools[node], take(solutions[node], places), pinned)
    return found


def _distinct(solutions: Solutions, nodes: list[str], fits: Mask) -> IntArray:
    """Return the places of solutions that fit, and share no object of some nodes."""
    used: set[tuple[str, int]] = set()
    places: list[int] = []
    for place in np.flatnonzero(fits).tolist():
        own = {(node, int(solutions[node][IDENTITY][place])) for node in nodes}
        if len(places) < TRIED and not own & used:
            places.append(place)
            used |= own
    return np.array(places, dtype=np.int64)


def _with(
    folded: FoldedGraph,
    node: str,
    pool: CandidatePool,
    decoys: Columns,
    pinned: Mapping[str, ConcreteObject],
) -> CandidatePool:
    """Return a pool with decoys at its end, which are in its order no more."""
    size, more = length(pool.objects), length(decoys)
    others = (
        edge for edge in folded.edges if node in edge.nodes and not pinned.keys() >= {*edge.nodes}
    )
    name = next(others, folded.edges[0]).name
    again = np.isin(pool.objects[IDENTITY][pool.order], decoys[IDENTITY])
    return pool._replace(
        objects=concatenate([pool.objects, decoys]),
        broken=[*pool.broken, *[name] * more],
        order=pool.order[~again],
        group=np.concatenate([pool.group, np.full(more, -1)]),
        decoys=np.arange(size, size + more),
    )


def accept_decoys(
    pools: Mapping[str, CandidatePool], counter: EliminationCounter, accepted: dict[str, IntArray]
) -> None:
    """Accept decoys of which no solution runs through any object."""
    nodes = [node for node, pool in pools.items() if len(pool.decoys)]
    taken = 0
    for number in range(min((len(pools[node].decoys) for node in nodes), default=0)):
        tried = dict(accepted)
        for node in nodes:
            place = pools[node].decoys[[number]]
            if counter.has_solution(node, place, tried).any():
                break
            tried[node] = np.concatenate([tried[node], place])
        else:
            accepted.update(tried)
            taken += 1
        if taken == MOST:
            return
