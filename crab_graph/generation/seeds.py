"""Seed solutions (section 3.2.2, Algorithm 1): a CSP over edge properties, then the objects."""

from collections.abc import Iterator, Mapping
from random import Random

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraints import Ref, Value
from crab_graph.generation.csp import Binding, Link, sample_binding
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.node_domain import NodeDomain
from crab_graph.generation.objects import IDENTITY, length, rows, take
from crab_graph.generation.solutions import Solutions
from crab_graph.randomness import derive_array_rng

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
