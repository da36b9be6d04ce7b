"""Candidates for edge distractors: near misses, and what looks like parts of solutions.

What only breaks edges beside the seeds stands around them like a cloud, and every majority (the
most frequent carrier, the usual date) would point to its middle. Parts of other solutions that the
graph admits are distributed as the seeds' own parts are, so that no single property tells them
apart; the exact test then leaves out what completes a solution.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crab_graph.generation.constraint_graph import Codes
from crab_graph.generation.constraints import Constraint, Value, equals
from crab_graph.generation.folding import FoldedGraph, NodeDomain
from crab_graph.generation.objects import (
    IDENTITY,
    CodedObjects,
    Columns,
    IntArray,
    Mask,
    concatenate,
    group,
    length,
    numbered_together,
    take,
)
from crab_graph.generation.seeds import SeedSolution
from crab_graph.randomness import derive_array_rng

POOL_FACTOR = 3
"""Candidates drawn for each edge distractor wanted."""

TRIES = 8
"""How often objects are drawn that are to be distinct."""

FRESH = 8
"""One in so many objects drawn within some entities is to be new, or no more are drawn."""

NEAR_MISSES = 5
"""Candidates of each node that are tried first for each edge, as they break that edge alone."""

Identities = set[int]
"""Identities of the objects of a node type that exist already."""


class CandidatePool(NamedTuple):
    """Seed objects of a node, then its candidates, with the constraint each was made to break.

    `order` has the positions of the candidates, those to try first in front. Objects of a `group`
    agree in all that another node must agree in; what is kept for that node is of none, -1. The
    `decoys` are accepted before all others, and not in the order.
    """

    objects: Columns
    broken: list[str]
    seed_count: int
    order: IntArray
    group: IntArray
    decoys: IntArray = np.zeros(0, dtype=np.int64)

    def smallest_first(self, found: IntArray, accepted: IntArray) -> IntArray:
        """Return positions in such an order that the first ones level the groups of the accepted.

        Most of what shares a seed's carrier or district would complete it, so that it stays rare
        unless what does not comes first.
        """
        held = np.bincount(self.group[accepted] + 1, minlength=int(self.group.max()) + 2)
        held[0] = length(self.objects)  # what is kept for another node comes last
        own = self.group[found] + 1
        by_group = np.argsort(own, kind="stable")
        sizes = np.bincount(own, minlength=len(held))
        rank = np.empty(len(found), dtype=np.int64)
        rank[by_group] = np.arange(len(found)) - (np.cumsum(sizes) - sizes)[own[by_group]]
        return found[np.argsort(held[own] + rank, kind="stable")]


def build_pool(
    folded: FoldedGraph,
    node: str,
    seeds: Sequence[SeedSolution],
    wanted: int,
    used: Mapping[str, Identities],
    seed: int,
    likely: CodedObjects,
    within: Codes | None = None,
) -> CandidatePool:
    """Return the candidates of a node: a few near misses, then what looks like parts of solutions.

    `wanted` edge distractors are to be chosen among them; `likely` has objects of the node as they
    come up in solutions. Others are drawn `within` some entities, where these are limited.
    """
    domain = folded.domains[node]
    own = CodedObjects.of(domain.type, [item[node] for item in seeds])
    if not wanted:
        none = np.zeros(0, dtype=np.int64)
        return CandidatePool(own, [""] * len(seeds), len(seeds), none, np.zeros_like(own[IDENTITY]))
    rng = derive_array_rng(seed, "edge distractors", node)
    taken = set(used[domain.type.name])
    typical = take(likely, _fresh(likely[IDENTITY], taken, POOL_FACTOR * wanted))
    drawn = draw_distinct(domain, POOL_FACTOR * wanted, rng, taken, within=within)
    # What no solution has stands last.
    candidates = typical if drawn is None else concatenate([typical, drawn])
    edges = [edge for edge in folded.edges if node in edge.nodes]
    breaks = _nearest_breaks(edges, node, seeds, candidates)
    first_broken = breaks.argmax(axis=0)
    count = breaks.sum(axis=0)
    off_side = _sides(folded, node, seeds, candidates, seed)
    near = np.zeros(len(count), dtype=np.bool_)
    for edge in range(len(edges)):
        alone = np.flatnonzero((count == 1) & (first_broken == edge))
        near[alone[np.argsort(off_side[alone], kind="stable")][:NEAR_MISSES]] = True
    is_typical = np.arange(len(count)) < length(typical)
    compared = _compared(folded, node)
    akin = np.full(len(count), bool(compared))
    for name in compared:
        akin &= np.isin(candidates[name], own[name])
    first, plain, dear, last = (
        np.flatnonzero(one & (count > 0))
        for one in (
            near,
            is_typical & ~near & ~off_side,
            ~is_typical & ~near & akin,
            is_typical & ~near & off_side,
        )
    )
    mixed = np.concatenate([plain, dear])
    at = [(np.arange(len(one)) + 0.5) / max(len(one), 1) for one in (plain, dear)]
    order = np.concatenate([first, mixed[np.argsort(np.concatenate(at), kind="stable")], last])
    broken = [""] * len(seeds) + [edges[number].name if edges else "" for number in first_broken]
    objects = concatenate([own, candidates])
    alike = group([numbered_together(name, [objects]) for name in compared], length(objects))
    number = np.where(np.append(np.zeros(len(seeds), dtype=bool), off_side), -1, alike.of_each)
    return CandidatePool(objects, broken, len(seeds), order + len(seeds), number)


def _compared(folded: FoldedGraph, node: str) -> tuple[str, ...]:
    """Return the properties of a node in which another must agree."""
    names = (
        name
        for edge in folded.edges
        if edge.predicate is equals and len(edge.nodes) == 2 and node in edge.nodes
        for name in edge.properties_of(node)
    )
    return tuple(dict.fromkeys(names))


def draw_distinct(
    domain: NodeDomain,
    wanted: int,
    rng: np.random.RandomState,
    used: Identities,
    models: Codes | None = None,
    within: Codes | None = None,
    loose: Collection[str] = (),
) -> CodedObjects | None:
    """Draw up to `wanted` objects that differ from each other and from those in `used`.

    The identities of the objects drawn are added to `used`. `None` where nothing was found.
    """
    parts: list[CodedObjects] = []
    missing = wanted
    for _ in range(TRIES):
        size = max(64, 2 * missing)
        drawn = domain.draw(rng, size, models, within, loose)
        fresh = _fresh(drawn[IDENTITY], used, missing)
        if len(fresh):
            parts.append(take(drawn, fresh))
            missing -= len(fresh)
        # A few entities have few different offers, and soon all of them were drawn.
        least = 0 if within is None else size // FRESH
        if missing <= 0 or len(fresh) <= least:
            break
    return concatenate(parts) if parts else None


def _nearest_breaks(
    edges: Sequence[Constraint], node: str, seeds: Sequence[SeedSolution], drawn: Columns
) -> Mask:
    """Return `(edges, candidates)`: what each breaks beside the seed that it comes nearest to."""
    if not edges:
        return np.zeros((1, length(drawn)), dtype=np.bool_)
    nearest = np.ones((len(edges), length(drawn)), dtype=np.bool_)
    for item in seeds:
        breaks = np.array([~holds_beside(edge, node, item, drawn) for edge in edges])
        closer = breaks.sum(axis=0) < nearest.sum(axis=0)
        nearest = np.where(closer, breaks, nearest)
    return nearest


def holds_beside(edge: Constraint, node: str, seed: SeedSolution, drawn: Columns) -> Mask:
    """Return with which objects of a node an edge holds, the others being those of a seed."""
    answer = edge.evaluate(lambda ref: drawn[ref[1]] if ref[0] == node else seed[ref[0]][ref[1]])
    return np.broadcast_to(np.asarray(answer, dtype=bool), (length(drawn),))


def _sides(
    folded: FoldedGraph,
    node: str,
    seeds: Sequence[SeedSolution],
    candidates: Columns,
    seed: int,
) -> Mask:
    """Return which candidates have a value that is kept for the other node of an equality.

    Where two nodes must agree in a value, each value that no seed has is kept for one of them, so
    that most of what it offers completes nothing, however cheap or early it is. Otherwise a
    distractor could only be harmless by its price, and the prices would point to the seeds.
    """
    off = np.zeros(length(candidates), dtype=np.bool_)
    for edge in folded.edges:
        if edge.predicate is not equals or len(edge.nodes) != 2 or node not in edge.nodes:
            continue
        (name,) = edge.properties_of(node)
        rest = free_values(folded, edge, seeds)
        order = derive_array_rng(seed, "sides", edge.name).permutation(len(rest))
        kept_away = [rest[place] for place in order[1 - edge.nodes.index(node) :: 2]]
        if kept_away:
            off |= np.isin(candidates[name], kept_away)
    return off


def free_values(
    folded: FoldedGraph, edge: Constraint, seeds: Sequence[SeedSolution]
) -> tuple[Value, ...]:
    """Return the values in which nodes can agree as an equality asks, but for those of seeds."""
    taken = {item[owner][key] for item in seeds for owner, key in edge.refs}
    node, name = edge.refs[0]
    domain = folded.domains[node].type.property_values.get(name, ())
    return tuple(value for value in domain if value not in taken)


def _fresh(identities: IntArray, used: Identities, limit: int) -> IntArray:
    """Return the positions of the first `limit` objects that are new, and note them as used."""
    fresh: list[int] = []
    for place, number in enumerate(identities.tolist() if limit else ()):
        if number not in used:
            used.add(number)
            fresh.append(place)
            if len(fresh) == limit:
                break
    return np.array(fresh, dtype=np.int64)
