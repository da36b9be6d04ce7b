"""Distractors (paper section 3.2.3): objects that mislead and add no valid solution.

Algorithm 3 of the paper proves an object harmless against one edge constraint at a time, yet an
object made for one edge can complete a solution through another. Here every candidate is tested
against all objects accepted so far, exactly and for all edges at once; candidates through which a
solution runs are dropped. Candidates of one node can be tested together, since a solution holds
one object a node.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crab_graph.generation.constraints import Constraint
from crab_graph.generation.counting import EliminationCounter, IntArray
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import (
    IDENTITY,
    Columns,
    Mask,
    NodeDomain,
    concatenate,
    length,
    take,
    valid_rows,
)
from crab_graph.generation.seeds import SeedSolution
from crab_graph.randomness import derive_array_rng

ROUNDS = 4
"""Rounds of acceptance; each node gets its share of each, so that none crowds the others out."""

POOL_FACTOR = 8
"""Candidates drawn for each edge distractor wanted."""

STRUCTURAL_SHARE = 0.25
"""How often node distractors break a structural constraint, against 1 for a wish of the user:
an agent that searches the right route never sees the former."""

Identities = set[int]
"""Identities of the objects of a node type that exist already."""


@dataclass(frozen=True)
class Distractors:
    """Objects of one node and, for each, the constraint it was made to break."""

    objects: Columns
    broken: list[str]


def draw_distinct(
    domain: NodeDomain, wanted: int, rng: np.random.RandomState, used: Identities, tries: int = 8
) -> Columns | None:
    """Draw up to `wanted` objects that differ from each other and from those in `used`.

    The identities of the objects drawn are added to `used`. `None` where nothing was found.
    """
    parts: list[Columns] = []
    missing = wanted
    for _ in range(tries):
        drawn = domain.draw(rng, max(64, 2 * missing))
        fresh = _fresh(drawn[IDENTITY], used, missing)
        if len(fresh):
            parts.append(take(drawn, fresh))
            missing -= len(fresh)
        if missing <= 0:
            break
    return concatenate(parts) if parts else None


def generate_node_distractors(
    folded: FoldedGraph, node: str, wanted: int, used: Identities, seed: int
) -> Distractors | None:
    """Return node distractors: objects that break a node constraint.

    As in Algorithm 2 an object breaks one constraint and keeps the node's others; where a task has
    too few of these, the rest break a constraint and keep only the structural ones (the reading of
    section 3.2.3). A count takes the place of the ratio ρ. An object that some node of the same
    type could use (a shared table) is left out, whichever node it was made for.
    """
    parts: list[Columns] = []
    broken: list[str] = []
    for kept_constraints in ("all", "all", "structural"):
        domains = _breaking_domains(folded, node, kept_constraints)
        missing = wanted - len(broken)
        for name, share in _shares(folded, node, domains, missing).items():
            rng = derive_array_rng(seed, "node distractors", node, name, len(parts))
            share = min(share, wanted - len(broken))
            drawn = draw_distinct(domains[name], share, rng, used) if share > 0 else None
            if drawn is not None:
                harmless = take(drawn, ~fills_any_node(folded, domains[name].type.name, drawn))
                parts.append(harmless)
                broken += [name] * length(harmless)
    return Distractors(concatenate(parts), broken) if broken else None


def generate_edge_distractors(
    folded: FoldedGraph,
    seeds: Sequence[SeedSolution],
    wanted: Mapping[str, int],
    used: Mapping[str, Identities],
    seed: int,
) -> dict[str, Distractors]:
    """Return edge distractors: node-valid objects through which no solution runs.

    Args:
        folded: The task graph.
        seeds: The seed solutions; their objects are in `used`.
        wanted: Number of edge distractors of each node; fewer come back where an exact test rejects
            the rest.
        used: Identities already taken, by node type; those of the distractors are added.
        seed: Seed of all draws.
    """
    pools = {
        node: _pool(folded, node, seeds, wanted[node], used, seed) for node in folded.graph.node_ids
    }
    return accept_harmless(folded, pools, wanted, used, seed)


def accept_harmless(
    folded: FoldedGraph,
    pools: Mapping[str, "CandidatePool"],
    wanted: Mapping[str, int],
    used: Mapping[str, Identities],
    seed: int,
) -> dict[str, Distractors]:
    """Return the candidates of each node through which, accepted together, no solution runs.

    Args:
        folded: The task graph.
        pools: For each node its seed objects and candidates.
        wanted: Number to accept of each node at most.
        used: Identities already taken, by node type; those of the accepted are added.
        seed: Seed of the order of rounds.
    """
    nodes = folded.graph.node_ids
    counter = EliminationCounter(
        nodes, folded.edges, {n: pool.objects for n, pool in pools.items()}
    )
    accepted: dict[str, IntArray] = {
        node: np.arange(pool.seed_count, dtype=np.int64) for node, pool in pools.items()
    }
    queues = {node: pool.order for node, pool in pools.items()}
    rng = derive_array_rng(seed, "edge distractor rounds")
    for round_number in range(ROUNDS):
        for position in rng.permutation(len(nodes)):
            node = nodes[position]
            missing = wanted[node] - (len(accepted[node]) - pools[node].seed_count)
            quota = -(-missing // (ROUNDS - round_number))
            batch, queues[node] = queues[node][: 6 * quota], queues[node][6 * quota :]
            if quota <= 0 or len(batch) == 0:
                continue
            harmless = batch[~counter.has_solution(node, batch, accepted)]
            accepted[node] = np.concatenate([accepted[node], harmless[:quota]])
            # What passed but found no room may be tried again; what failed is out for good, because
            # more objects can only complete it further.
            queues[node] = np.concatenate([harmless[quota:], queues[node]])
    return {node: _chosen(folded, node, pool, accepted[node], used) for node, pool in pools.items()}


@dataclass(frozen=True)
class CandidatePool:
    """Seed objects of a node followed by its candidates, in the order in which to try them.

    Attributes:
        objects: Columns of all of them.
        broken: For each, the constraint it was made to break; empty for seeds.
        seed_count: How many of them are seed objects.
        order: Positions of the candidates, those to try first in front.
    """

    objects: Columns
    broken: list[str]
    seed_count: int
    order: IntArray


def _pool(
    folded: FoldedGraph,
    node: str,
    seeds: Sequence[SeedSolution],
    wanted: int,
    used: Mapping[str, Identities],
    seed: int,
) -> CandidatePool:
    domain = folded.domains[node]
    own = {name: np.array([item[node][name] for item in seeds]) for name in seeds[0][node]}
    rng = derive_array_rng(seed, "edge distractors", node)
    taken = set(used[domain.type.name])
    drawn = draw_distinct(domain, POOL_FACTOR * wanted, rng, taken) if wanted else None
    if drawn is None:
        return CandidatePool(own, [""] * len(seeds), len(seeds), np.zeros(0, dtype=np.int64))
    breaks, names = _nearest_breaks(folded, node, seeds, drawn)
    first_broken = breaks.argmax(axis=0)
    count = breaks.sum(axis=0)
    order = _interleaved(count, first_broken)
    order = order[count[order] > 0]
    broken = [""] * len(seeds) + [names[number] if names else "" for number in first_broken]
    return CandidatePool(concatenate([own, drawn]), broken, len(seeds), order + len(seeds))


def _nearest_breaks(
    folded: FoldedGraph, node: str, seeds: Sequence[SeedSolution], drawn: Columns
) -> tuple[Mask, list[str]]:
    """Return, against the seed each candidate comes nearest to, which edges it breaks there.

    Shape `(edges of the node, candidates)`.
    """
    edges = [edge for edge in folded.edges if node in edge.nodes]
    size = length(drawn)
    nearest = np.ones((max(1, len(edges)), size), dtype=bool)
    if not edges:
        return np.zeros((1, size), dtype=bool), []
    for item in seeds:
        breaks = np.array([~_holds_beside(edge, node, item, drawn) for edge in edges])
        closer = breaks.sum(axis=0) < nearest.sum(axis=0)
        nearest = np.where(closer, breaks, nearest)
    return nearest, [edge.name for edge in edges]


def _holds_beside(edge: Constraint, node: str, seed: SeedSolution, drawn: Columns) -> Mask:
    answer = edge.evaluate(lambda ref: drawn[ref[1]] if ref[0] == node else seed[ref[0]][ref[1]])
    return np.broadcast_to(np.asarray(answer, dtype=bool), (length(drawn),))


def _interleaved(count: IntArray, first_broken: IntArray) -> IntArray:
    """Order candidates: those that break one edge alone first, taking turns over the edges."""
    turn = np.zeros(len(count), dtype=np.int64)
    for edges_broken in np.unique(count):
        for edge in np.unique(first_broken):
            members = np.flatnonzero((count == edges_broken) & (first_broken == edge))
            turn[members] = np.arange(len(members))
    return np.lexsort((turn, count)).astype(np.int64)


def _chosen(
    folded: FoldedGraph,
    node: str,
    pool: CandidatePool,
    accepted: IntArray,
    used: Mapping[str, Identities],
) -> Distractors:
    rows = accepted[pool.seed_count :]
    objects = take(pool.objects, rows)
    domain = folded.domains[node]
    used[domain.type.name].update(objects[IDENTITY].tolist())
    return Distractors(objects, [pool.broken[row] for row in rows])


def _breaking_domains(folded: FoldedGraph, node: str, kept: str) -> dict[str, NodeDomain]:
    """Return, for each constraint of a node, the objects that break it and keep the others."""
    domains: dict[str, NodeDomain] = {}
    for item in folded.node_constraints[node]:
        others = [
            other
            for other in folded.node_constraints[node]
            if other is not item and (kept == "all" or other.structural)
        ]
        domain = folded.domain_or_none(node, [*others, item.negated()])
        if domain is not None:
            domains[item.name] = domain
    return domains


def _shares(
    folded: FoldedGraph, node: str, domains: Mapping[str, NodeDomain], total: int
) -> dict[str, int]:
    """Split a number of distractors over the constraints to break, rounded up."""
    weights = {
        item.name: STRUCTURAL_SHARE if item.structural else 1.0
        for item in folded.node_constraints[node]
        if item.name in domains
    }
    whole = sum(weights.values())
    return {name: int(np.ceil(total * weight / whole)) for name, weight in weights.items()}


def fills_any_node(folded: FoldedGraph, type_name: str, objects: Columns) -> Mask:
    """Return which objects some node of the type could use."""
    fills = np.zeros(length(objects), dtype=bool)
    for node in folded.graph.nodes:
        if node.type == type_name:
            fills[valid_rows(objects, folded.node_constraints[node.id])] = True
    return fills


def _fresh(identities: IntArray, used: Identities, limit: int) -> IntArray:
    """Return the positions of the first `limit` objects that are new, and note them as used."""
    fresh: list[int] = []
    for position, number in enumerate(identities.tolist()):
        if len(fresh) == limit:
            break
        if number not in used:
            used.add(number)
            fresh.append(position)
    return np.array(fresh, dtype=np.int64)
