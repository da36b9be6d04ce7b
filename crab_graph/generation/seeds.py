"""Seed solutions (section 3.2.2), drawn uniformly from all that a task graph admits.

python-constraint draws them, on small random tables (`sample_solutions`). Distractors take after
hundreds of other solutions: `draw_solutions` proposes combinations of node-valid objects, each
equally likely, and keeps those that break no edge. Where the solver would need more than its share
of work, seeds are chosen among these too.
"""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from random import Random
from typing import NamedTuple

import numpy as np

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraint_graph import Codes
from crab_graph.generation.constraints import Constraint, LinearSum, Value, equals
from crab_graph.generation.counting import best_orders
from crab_graph.generation.folding import FoldedGraph, NodeDomain
from crab_graph.generation.grouped_csp import (
    Alternatives,
    TooMuchWork,
    Work,
    count_solutions,
    pick_solutions,
    solve_rows,
)
from crab_graph.generation.objects import (
    IDENTITY,
    CodedObjects,
    Columns,
    IntArray,
    Mask,
    concatenate,
    length,
    rows,
    take,
)

POOL = 1500
"""Objects of each node that combinations are proposed from."""

PROPOSALS = 24_000
"""Extensions of partial solutions proposed at each node."""

KEPT = 1000
"""Partial solutions kept of those that can be extended."""

ROUNDS = 4
"""Rounds, each with fresh objects, before a graph counts as without solutions."""

SMALLEST = 8
"""Objects of each node in the first small table that python-constraint solves."""

ENOUGH = 5
"""Solutions in a table at which tables need not be larger."""

TABLES = 12
"""Tables of that size that are solved, more where they hold fewer than `LEAST` solutions in all."""

LEAST = 24
"""Solutions among which seeds can be chosen."""

SEED_WORK = 30_000
"""Groups that python-constraint tries out for the seeds of a task: 60 ms, but a number, so that
every machine has the same seeds drawn by it."""

_PLACE = "place in its table"
"""Position of an object, beside its properties, none of which can be called so."""

TRIED = 8
"""Solutions looked at for each seed solution wanted."""

Solutions = dict[str, CodedObjects]
"""Columns of each node's objects; the objects at one position form a solution."""

ConcreteObject = dict[str, Value]
SeedSolution = dict[str, ConcreteObject]


def draw_solutions(
    folded: FoldedGraph,
    wanted: int,
    rng: np.random.RandomState,
    pinned: Mapping[str, ConcreteObject] | None = None,
) -> Solutions:
    """Return about `wanted` solutions or more, each uniform over all; some share objects.

    What is `pinned` fills its node in all of them.

    Raises:
        UnsatisfiableTask: no solution was met with.
    """
    first = folded.graph.node_ids[0]
    parts: list[Solutions] = []
    for _ in range(ROUNDS):
        parts.append(_draw_round(folded, rng, pinned or {}))
        if sum(length(part[first]) for part in parts) >= wanted:
            break
    found = {node: concatenate([part[node] for part in parts]) for node in folded.graph.node_ids}
    if length(found[first]) == 0:
        raise UnsatisfiableTask("the edge constraints have no common solution")
    return found


class Sampler(StrEnum):
    """What drew the seed solutions of a task."""

    CSP = "python-constraint"
    ARRAYS = "arrays"


class _Table(NamedTuple):
    """Random node-valid objects of each node, and all solutions among them."""

    objects: Solutions
    found: list[Alternatives]

    @property
    def size(self) -> int:
        """Number of solutions."""
        return count_solutions(self.found)

    def at(self, numbers: Iterable[int]) -> Solutions:
        """Return the solutions of these numbers."""
        places = [[row[_PLACE] for row in one] for one in pick_solutions(self.found, numbers)]
        columns = np.array(places, dtype=np.int64).reshape(len(places), len(self.objects))
        nodes = enumerate(self.objects.items())
        return {node: take(own, columns[:, axis]) for axis, (node, own) in nodes}


def sample_solutions(
    folded: FoldedGraph, wanted: int, rng: np.random.RandomState
) -> Solutions | None:
    """Return up to `wanted` solutions that python-constraint finds: SampleCSP(V, C_mini, k).

    These are lines 4 to 17 of Algorithm 1 (A.4) with a draw of its own. The second strategy of the
    paper, shuffled domains and the first solution, favours values that leave room for the rest.
    Here domains are thinned at random instead: in small tables of random node-valid objects all
    solutions are found, and each solution of the graph is as likely to be among them as any other.
    Variables take the values that a table shows of the properties that active edges read, and a
    binding is completed by the objects that show them, in all else random.

    `None` says that fewer than `LEAST` were found before `SEED_WORK` groups were tried.
    """
    work = Work(SEED_WORK)
    supplies = {node: _Supply(domain, rng) for node, domain in folded.domains.items()}
    tables: list[_Table] = []
    try:
        size = SMALLEST
        while size < POOL and _solve_table(folded, supplies, size, work).size < ENOUGH:
            size += size // 2
        while len(tables) < TABLES or sum(table.size for table in tables) < LEAST:
            tables.append(_solve_table(folded, supplies, size, work))
    except TooMuchWork:
        pass  # the table that is not finished would be one-sided
    total = sum(table.size for table in tables)
    if total < LEAST:
        return None
    chosen = np.unique(rng.randint(0, total, wanted)) if total > wanted else np.arange(total)
    parts: list[Solutions] = []
    for table in tables:
        here, chosen = chosen[chosen < table.size], chosen[chosen >= table.size] - table.size
        parts.append(table.at(here.tolist()))
    return {node: concatenate([part[node] for part in parts]) for node in folded.graph.node_ids}


class _Supply:
    """Random objects of a node, each given once."""

    def __init__(self, domain: NodeDomain, rng: np.random.RandomState) -> None:
        self.domain = domain
        self.rng = rng
        self.pool = _draw_pool(domain, rng)

    def take(self, size: int) -> CodedObjects:
        """Return the next `size` objects, fewer where the node has few."""
        if length(self.pool) < size:
            self.pool = concatenate([self.pool, _draw_pool(self.domain, self.rng)])
        given, self.pool = take(self.pool, slice(size)), take(self.pool, slice(size, None))
        return given


def _solve_table(
    folded: FoldedGraph, supplies: Mapping[str, _Supply], size: int, work: Work
) -> _Table:
    objects = {node: supply.take(size) for node, supply in supplies.items()}
    shown: dict[str, list[dict[str, Value]]] = {}
    for node, own in objects.items():
        names = folded.edge_properties(node)
        columns = [own[name].tolist() for name in names]
        values = zip(range(length(own)), *columns, strict=True)
        shown[node] = [dict(zip((_PLACE, *names), one, strict=True)) for one in values]
    return _Table(objects, list(solve_rows(list(objects), folded.edges, shown, work)))


def choose_seed_solutions(
    folded: FoldedGraph,
    solutions: Solutions,
    count: int,
    rng: Random,
    shared: Collection[str] = (),
) -> list[SeedSolution]:
    """Return `count` of the given solutions, each as likely as any other.

    They share no object but those of the nodes that are `shared`.

    Raises:
        UnsatisfiableTask: so many cannot be found among them.
    """
    size = length(solutions[folded.graph.node_ids[0]])
    seeds: list[SeedSolution] = []
    used: set[tuple[str, Value]] = set()
    places = np.array(rng.sample(range(size), min(size, TRIED * count)), dtype=np.int64)
    tried = [rows(take(columns, places)) for columns in solutions.values()]
    for parts in zip(*tried, strict=True):
        seed = dict(zip(solutions, parts, strict=True))
        keys = {node: (folded.graph.type_of(node), item[IDENTITY]) for node, item in seed.items()}
        own = {key for node, key in keys.items() if node not in shared}
        if len({*keys.values()}) == len(seed) and not own & used:
            seeds.append(seed)
            used |= own
        if len(seeds) == count:
            return seeds
    raise UnsatisfiableTask(f"found {len(seeds)} of {count} seed solutions that share no object")


def redraw(
    folded: FoldedGraph,
    node: str,
    solutions: Solutions,
    rng: np.random.RandomState,
    within: Codes | None = None,
) -> CodedObjects:
    """Return other objects of a node that complete the given solutions in place of their own.

    They are parts of the entities that they are to be drawn `within`.
    """
    pool = _draw_pool(folded.domains[node], rng, within)
    size = length(solutions[node])
    others = np.tile(np.arange(size), -(-PROPOSALS // size))[:PROPOSALS]
    fresh = rng.randint(0, length(pool), len(others))
    objects = {**solutions, node: pool}
    for edge in _cheap_first(folded.edges):
        if node in edge.nodes:
            places = {owner: fresh if owner == node else others for owner in edge.nodes}
            fits = np.flatnonzero(_fits(edge, objects, places))
            fresh, others = fresh[fits], others[fits]
    # One object a solution: those that admit many would be heard more often than others.
    _, first = np.unique(others, return_index=True)
    return take(pool, fresh[np.sort(first)])


def _draw_pool(
    domain: NodeDomain, rng: np.random.RandomState, within: Codes | None = None
) -> CodedObjects:
    """Return about `POOL` objects of a node, uniformly drawn; one may come twice."""
    parts = [domain.draw(rng, POOL, within=within)]
    while len(parts) < 5 and sum(map(length, parts)) < POOL:
        parts.append(domain.draw(rng, POOL, within=within))
    return concatenate(parts)


def _draw_round(
    folded: FoldedGraph, rng: np.random.RandomState, pinned: Mapping[str, ConcreteObject]
) -> Solutions:
    order = best_orders(folded.graph.node_ids, folded.edges)[0]
    pools = {
        node: CodedObjects.of(folded.domains[node].type, [pinned[node]])
        if node in pinned
        else _draw_pool(folded.domains[node], rng)
        for node in order
    }
    if any(length(pool) == 0 for pool in pools.values()):
        return {node: take(pool, slice(0)) for node, pool in pools.items()}
    chosen = {order[0]: rng.randint(0, length(pools[order[0]]), KEPT)}
    for position, node in enumerate(order):
        if position > 0:
            # Random objects beside every partial solution, as often as there is room for.
            size = len(chosen[order[0]])
            times = -(-PROPOSALS // max(1, size))
            chosen = {name: np.tile(places, times) for name, places in chosen.items()}
            chosen[node] = rng.randint(0, length(pools[node]), size * times)
        for edge in _cheap_first(folded.edges):
            if edge.linear is not None:
                fits = _within_bound(edge.linear, pools, chosen, order[position + 1 :])
            elif node in edge.nodes and chosen.keys() >= set(edge.nodes):
                fits = _fits(edge, pools, chosen)
            else:
                continue
            kept = np.flatnonzero(fits)
            chosen = {name: places[kept] for name, places in chosen.items()}
        if len(chosen[node]) > KEPT:
            kept = rng.permutation(len(chosen[node]))[:KEPT]
            chosen = {name: places[kept] for name, places in chosen.items()}
    return {node: take(pools[node], places) for node, places in chosen.items()}


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


def _fits(edge: Constraint, objects: Mapping[str, Columns], places: Mapping[str, IntArray]) -> Mask:
    """Return which combinations of objects, given by their positions, do not break an edge."""
    answer = edge.evaluate(lambda ref: objects[ref[0]][ref[1]][places[ref[0]]])
    return np.broadcast_to(np.asarray(answer, dtype=np.bool_), (len(places[edge.nodes[0]]),))


def _cheap_first(edges: tuple[Constraint, ...]) -> list[Constraint]:
    """Order edges: words, which are often what is alike, take long to compare and come last."""
    return sorted(edges, key=lambda edge: (edge.predicate is equals, len(edge.refs)))
