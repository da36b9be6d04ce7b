"""Offers that would make another value the cheaper one than a task is to have, exchanged.

A wish for the cheaper of two districts is settled before any offer is drawn. Offers of the other
district with which a whole job costs no more than the cheapest solution give way to some with which
none does; others stay, so that who does not compare goes wrong.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.bundles import Occupancy
from crab_graph.generation.candidates import Identities, draw_distinct
from crab_graph.generation.constraints import Constraint
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import (
    IDENTITY,
    CodedObjects,
    Columns,
    IntArray,
    concatenate,
    length,
    take,
)
from crab_graph.generation.population import Population
from crab_graph.generation.rivals import Contest
from crab_graph.randomness import derive_array_rng

FRESH = 3000
"""Offers drawn among which those that make nothing cheaper are taken."""


def with_dearer_rivals(
    graphs: Sequence[FoldedGraph], population: Population, seed: int
) -> Population:
    """Return the population with nothing of a rival as cheap as a solution, of any of the graphs.

    They ask for the cheaper of the same values; the first is that of the request.

    Raises:
        UnsatisfiableTask: too little can take the place of what is too cheap, or no rival would do.
    """
    for number, rival in enumerate(graphs[0].graph.rivals):
        population = _with_dearer(graphs, rival, population, (seed, number))
    return population


def _with_dearer(
    graphs: Sequence[FoldedGraph], rival: Constraint, population: Population, drawn: tuple[int, int]
) -> Population:
    first, node = graphs[0], rival.nodes[0]
    type_ = first.types[first.graph.type_of(node)]
    own = population.objects[type_.name]
    cheap = _too_cheap(graphs, rival, population, own)
    if len(cheap):
        rng = derive_array_rng(*drawn, "rival offers")
        asked = [
            item.negated() if item.name == rival.name else item
            for item in first.node_constraints[node]
        ]
        taken: Identities = set(own[IDENTITY].tolist())
        fresh = draw_distinct(first.domain(node, asked), FRESH, rng, taken)
        if fresh is None or not isinstance(own, CodedObjects):
            raise UnsatisfiableTask(f"wish '{rival.name}': nothing can be made dearer")
        kept = np.setdiff1d(np.arange(length(own)), cheap)
        bad = _too_cheap(graphs, rival, population, fresh)
        calm = rng.permutation(np.setdiff1d(np.arange(length(fresh)), bad))
        room = Occupancy(type_, own[IDENTITY][kept].tolist())
        added = calm[room.admit(fresh[IDENTITY][calm])][: len(cheap)]
        if len(added) < len(cheap):
            raise UnsatisfiableTask(f"wish '{rival.name}': too little can be made dearer")
        population = exchanged(first, node, population, kept, take(fresh, added))
    if _contest(first, population, node, population.objects[type_.name]).lead is None:
        raise UnsatisfiableTask(f"wish '{rival.name}': nothing else would do")
    return population


def _too_cheap(
    graphs: Sequence[FoldedGraph], rival: Constraint, population: Population, offers: Columns
) -> IntArray:
    """Return the places of offers with which a rival costs no more than a solution there is."""
    node = rival.nodes[0]
    found = [np.zeros(0, dtype=np.int64)]
    for folded in graphs:
        own = population.objects[folded.graph.type_of(node)]
        least = _contest(folded, population, node, own).least
        if least is None:
            raise UnsatisfiableTask(f"wish '{rival.name}': there is no solution")
        asked = next(one for one in folded.graph.rivals if one.name == rival.name)
        found.append(_contest(folded, population, node, offers).completing(asked, least))
    return np.unique(np.concatenate(found))


def _contest(folded: FoldedGraph, population: Population, node: str, offers: Columns) -> Contest:
    """Return what there is for each node, with some offers alone for one."""
    objects = {one.id: population.objects[one.type] for one in folded.graph.nodes}
    return Contest(folded.graph, {**objects, node: offers})


def exchanged(
    folded: FoldedGraph, node: str, population: Population, kept: IntArray, extra: CodedObjects
) -> Population:
    """Return the population with the kept offers of a node's type, and more that break a wish."""
    name = folded.graph.type_of(node)
    asked = folded.node_constraints[node]
    holds = [np.asarray(item.evaluate(lambda ref: extra[ref[1]])) for item in asked]
    size, own = length(extra), population.objects[name]
    broken = [
        next(item.name for item, fits in zip(asked, holds, strict=True) if not fits[place])
        for place in range(size)
    ]

    def with_more(listed: Sequence[Any], more: Sequence[Any]) -> list[Any]:
        return [*(listed[place] for place in kept.tolist()), *more]

    objects = concatenate([take(own, kept), extra])
    return replace(
        population,
        objects={**population.objects, name: objects},
        nodes={**population.nodes, name: with_more(population.nodes[name], [node] * size)},
        origins={**population.origins, name: with_more(population.origins[name], ["node"] * size)},
        broken={**population.broken, name: with_more(population.broken[name], broken)},
    )
