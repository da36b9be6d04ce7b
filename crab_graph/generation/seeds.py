"""Seed solutions (section 3.2.2), drawn uniformly from all that a task graph admits.

The paper's second SampleCSP strategy (shuffle, first solution found) favours what leaves room for
the rest: wide windows, late dates. Here every combination of node-valid objects is equally likely
to be proposed, and those that break no edge are kept.
"""

from collections.abc import Iterator, Mapping
from random import Random

import numpy as np

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraints import Constraint, LinearSum, Ref, Value
from crab_graph.generation.counting import elimination_order
from crab_graph.generation.csp import Binding, Link, sample_binding
from crab_graph.generation.folding import FoldedGraph, NodeDomain
from crab_graph.generation.objects import (
    IDENTITY,
    CodedObjects,
    Columns,
    IntArray,
    Mask,
    concatenate,
    edge_columns,
    length,
    rows,
    take,
)
from crab_graph.randomness import derive_array_rng

POOL = 1500
"""Objects of each node that combinations are proposed from."""

PROPOSALS = 24_000
"""Extensions of partial solutions proposed at each node."""

KEPT = 1000
"""Partial solutions kept of those that can be extended."""

ROUNDS = 4
"""Rounds, each with fresh objects, before a graph counts as without solutions."""

Solutions = dict[str, CodedObjects]
"""Columns of each node's objects; the objects at one position form a solution."""


def draw_solutions(folded: FoldedGraph, wanted: int, rng: np.random.RandomState) -> Solutions:
    """Return about `wanted` solutions or more, each uniform over all; some share objects.

    Raises:
        UnsatisfiableTask: no solution was met with.
    """
    nodes = folded.graph.node_ids
    parts: list[Solutions] = []
    found = 0
    for _ in range(ROUNDS):
        part = _draw_round(folded, rng)
        size = length(part[nodes[0]])
        if size:
            parts.append(part)
            found += size
        if found >= wanted:
            break
    if not parts:
        raise UnsatisfiableTask("the edge constraints have no common solution")
    return {node: concatenate([part[node] for part in parts]) for node in nodes}


def redraw(
    folded: FoldedGraph, node: str, solutions: Solutions, rng: np.random.RandomState
) -> CodedObjects:
    """Return other objects of a node that complete the given solutions in place of their own."""
    pool = draw_pool(folded.domains[node], POOL, rng)
    size = length(solutions[node])
    others = np.tile(np.arange(size), -(-PROPOSALS // size))[:PROPOSALS]
    fresh = rng.randint(0, length(pool), len(others))
    objects = {**solutions, node: pool}
    for edge in _cheap_first(folded.edges):
        if node in edge.nodes:
            rows = {owner: fresh if owner == node else others for owner in edge.nodes}
            fits = np.flatnonzero(_fits(edge, objects, rows))
            fresh, others = fresh[fits], others[fits]
    # One object a solution: those that admit many would be heard more often than others.
    _, first = np.unique(others, return_index=True)
    return take(pool, fresh[np.sort(first)])


def draw_pool(domain: NodeDomain, wanted: int, rng: np.random.RandomState) -> CodedObjects:
    """Return about `wanted` objects of a node, uniformly drawn; one may come twice."""
    parts = [domain.draw(rng, wanted)]
    for _ in range(4):
        missing = wanted - sum(map(length, parts))
        if missing <= 0:
            break
        parts.append(domain.draw(rng, wanted))
    return concatenate(parts)


def _draw_round(folded: FoldedGraph, rng: np.random.RandomState) -> Solutions:
    order = elimination_order(folded.graph.node_ids, folded.edges)
    pools = {node: draw_pool(folded.domains[node], POOL, rng) for node in order}
    if any(length(pool) == 0 for pool in pools.values()):
        return pools
    chosen: dict[str, IntArray] = {}
    for position, node in enumerate(order):
        chosen = _proposed(chosen, node, length(pools[node]), rng)
        for edge in _cheap_first(folded.edges):
            if edge.linear is not None:
                fits = _within_bound(edge.linear, pools, chosen, order[position + 1 :])
            elif node in edge.nodes and chosen.keys() >= set(edge.nodes):
                fits = _fits(edge, pools, chosen)
            else:
                continue
            kept = np.flatnonzero(fits)
            chosen = {name: rows[kept] for name, rows in chosen.items()}
        if len(chosen[node]) > KEPT:
            kept = rng.permutation(len(chosen[node]))[:KEPT]
            chosen = {name: rows[kept] for name, rows in chosen.items()}
    return {node: take(pools[node], rows) for node, rows in chosen.items()}


def _proposed(
    chosen: Mapping[str, IntArray], node: str, pool: int, rng: np.random.RandomState
) -> dict[str, IntArray]:
    """Put random objects of a node beside every partial solution, as often as there is room for."""
    if not chosen:
        return {node: rng.randint(0, pool, KEPT)}
    size = len(next(iter(chosen.values())))
    times = -(-PROPOSALS // max(1, size))
    proposed = {name: np.tile(rows, times) for name, rows in chosen.items()}
    return {**proposed, node: rng.randint(0, pool, size * times)}


def _within_bound(
    linear: LinearSum,
    pools: Mapping[str, Columns],
    chosen: Mapping[str, IntArray],
    ahead: tuple[str, ...],
) -> Mask:
    """Return which partial sums may still stay within the bound."""
    total = np.zeros(len(next(iter(chosen.values()))), dtype=np.int64)
    for (owner, name), weight in linear.weights.items():
        if owner in chosen:
            total += weight * pools[owner][name][chosen[owner]]
        elif owner in ahead:
            total += int((weight * pools[owner][name]).min())
    return np.asarray(total <= linear.bound)


def _fits(edge: Constraint, objects: Mapping[str, Columns], rows: Mapping[str, IntArray]) -> Mask:
    """Return which combinations of objects, given by their positions, do not break an edge."""
    columns = edge_columns(edge, objects)
    answer = edge.evaluate(lambda ref: columns[ref][rows[ref[0]]])
    return np.broadcast_to(np.asarray(answer, dtype=np.bool_), (len(rows[edge.nodes[0]]),))


def _cheap_first(edges: tuple[Constraint, ...]) -> list[Constraint]:
    """Order edges: equalities and orders first, for they reject most."""
    return sorted(edges, key=lambda edge: (len(edge.refs), edge.name))


TRIED = 8
"""Solutions looked at for each seed solution wanted."""

ConcreteObject = dict[str, Value]
SeedSolution = dict[str, ConcreteObject]


def generate_seed_solutions(
    folded: FoldedGraph, count: int, rng: Random, attempts: int = 20
) -> list[SeedSolution]:
    """Return `count` seed solutions that share no object (Algorithm 1).

    Args:
        folded: The task graph.
        count: Number of seed solutions k.
        rng: Source of randomness.
        attempts: Attempt multiplier m: at most m·k bindings are tried.

    Raises:
        UnsatisfiableTask: fewer than `count` were found; the caller draws another request.
    """
    seeds: list[SeedSolution] = []
    used: set[tuple[str, Value]] = set()
    for binding in _bindings(folded, attempts * count, rng):
        seed = _solve_nodes(folded, binding, rng)
        if seed is None:
            continue
        keys = {(folded.graph.type_of(node), item[IDENTITY]) for node, item in seed.items()}
        if len(keys) == len(seed) and not keys & used:
            seeds.append(seed)
            used |= keys
        if len(seeds) == count:
            return seeds
    raise UnsatisfiableTask(
        f"found {len(seeds)} of {count} seed solutions in {attempts * count} attempts"
    )


def choose_seed_solutions(
    folded: FoldedGraph, solutions: Solutions, count: int, rng: Random
) -> list[SeedSolution]:
    """Return `count` of the given solutions that share no object, each as likely as any other.

    Raises:
        UnsatisfiableTask: so many cannot be found among them.
    """
    size = length(solutions[folded.graph.node_ids[0]])
    seeds: list[SeedSolution] = []
    used: set[tuple[str, Value]] = set()
    for place in rng.sample(range(size), min(size, TRIED * count)):
        seed = {
            node: rows(take(columns, slice(place, place + 1)))[0]
            for node, columns in solutions.items()
        }
        keys = {(folded.graph.type_of(node), item[IDENTITY]) for node, item in seed.items()}
        if len(keys) == len(seed) and not keys & used:
            seeds.append(seed)
            used |= keys
        if len(seeds) == count:
            return seeds
    raise UnsatisfiableTask(f"found {len(seeds)} of {count} seed solutions that share no object")


def _bindings(folded: FoldedGraph, limit: int, rng: Random) -> Iterator[Binding]:
    """Sample bindings of the properties that edges refer to (lines 4 to 6)."""
    domains: dict[Ref, list[Value]] = {}
    links: list[Link] = []
    for node, domain in folded.domains.items():
        for names in domain.linked(folded.edge_properties(node)):
            profiles = domain.profiles(names)
            if not profiles:
                raise UnsatisfiableTask(f"node '{node}' has no object that meets its constraints")
            refs = tuple((node, name) for name in names)
            for position, ref in enumerate(refs):
                domains[ref] = sorted({profile[position] for profile in profiles}, key=repr)
            if len(names) > 1:
                links.append(Link(refs, frozenset(profiles)))
    for _ in range(limit):
        binding = sample_binding(domains, folded.edges, links, rng)
        if binding is None:
            raise UnsatisfiableTask("the edge constraints have no common solution")
        yield binding


def _solve_nodes(folded: FoldedGraph, binding: Binding, rng: Random) -> SeedSolution | None:
    """Complete a binding with one object a node, drawn uniformly (lines 8 to 17)."""
    seed: SeedSolution = {}
    for node, domain in folded.domains.items():
        pinned = {name: value for (owner, name), value in binding.items() if owner == node}
        item = _sample_object(domain, pinned, rng)
        if item is None:
            return None
        seed[node] = item
    return seed


def _sample_object(
    domain: NodeDomain, pinned: Mapping[str, Value], rng: Random
) -> ConcreteObject | None:
    """Draw one object with the pinned values, or `None` where no object has them all."""
    if pinned:
        options = domain.list_objects(pinned)
    else:
        options = domain.draw(derive_array_rng(rng.getrandbits(63)), 256)
    size = length(options)
    if size == 0:
        return None
    index = rng.randrange(size)
    return rows(take(options, slice(index, index + 1)))[0]
