"""The objects of one task: seeds and distractors of every node (section 3.2.2 to 3.2.4)."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.bundles import are_parts, choose_entities, entities_for
from crab_graph.generation.candidates import Identities, build_pool, free_values
from crab_graph.generation.constraint_graph import Codes
from crab_graph.generation.constraints import equals, split_sum
from crab_graph.generation.decoys import with_decoys
from crab_graph.generation.distractors import (
    Distractors,
    Surroundings,
    accept_harmless,
    breaking_weights,
    can_be_broken,
    generate_node_distractors,
    speaks_of_entity,
)
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import (
    IDENTITY,
    CodedObjects,
    Columns,
    concatenate,
    length,
    take,
    try_out,
    valid_rows,
)
from crab_graph.generation.seeds import (
    ConcreteObject,
    Sampler,
    SeedSolution,
    Solutions,
    choose_seed_solutions,
    draw_solutions,
    redraw,
    sample_solutions,
)
from crab_graph.generation.thinning import KEPT, thinned
from crab_graph.randomness import derive_array_rng, derive_rng

Origin = Literal["seed", "node", "edge"]

EDGE_SHARE = 0.5
"""Share of edge distractors among the distractors of a node, where the graph admits that many."""

POSSIBLE = 400
"""Solutions drawn from all that a graph admits: seeds are chosen among them, and distractors are
drawn after them."""

DEAREST = 0.4
"""Share of the possible solutions, the dearest, among which seeds are chosen."""

CHOICES = 30
"""Choices of seeds tried for an acceptable number of solutions."""


class DrawnSeeds(NamedTuple):
    """The seed solutions of a task, and what drew them."""

    seeds: Sequence[SeedSolution]
    sampler: Sampler


@dataclass(frozen=True)
class Population:
    """Every object of a task by node type, and where each comes from.

    For each object the node it was made for, whether it is part of a seed or a distractor of a
    kind, and the constraint it was made to break (empty for seeds). The closure is the number of
    solutions the seeds' parts combine to: what the task must have in all. The sampler is what drew
    the seeds.
    """

    objects: Mapping[str, Columns]
    nodes: Mapping[str, Sequence[str]]
    origins: Mapping[str, Sequence[Origin]]
    broken: Mapping[str, Sequence[str]]
    seeds: Sequence[SeedSolution]
    closure: int
    sampler: Sampler = Sampler.CSP

    def distractor_count(self, origin: Origin) -> int:
        """Return the number of distractors of a kind."""
        return sum(list(kinds).count(origin) for kinds in self.origins.values())


def populate(
    folded: FoldedGraph,
    *,
    seed_count: int,
    closure: range,
    distractors: int,
    seed: int,
    drawn: DrawnSeeds | None = None,
    pinned: Mapping[str, ConcreteObject] | None = None,
) -> Population:
    """Generate the objects of a task, its distractors split evenly over the nodes.

    `closure` says how many solutions are acceptable; seed solutions are drawn unless `drawn` has
    them, `pinned` objects in all of them.

    Raises:
        UnsatisfiableTask: the graph has too few seed solutions or objects, or their closure is off.
    """
    possible = draw_solutions(folded, POSSIBLE, derive_array_rng(seed, "solutions"))
    seeds, sampler = drawn or _seeds_within(folded, possible, seed_count, closure, seed, pinned)
    solutions, used = admit_seeds(folded, seeds, closure)
    quota = split_evenly(folded.graph.node_ids, distractors)
    wanted = edge_share(folded, quota)
    entities = {
        node: _entities(folded, node, seeds, own, (quota[node], wanted[node]), seed)
        for node, own in possible.items()
    }
    likely = {node: _likely(folded, node, possible, entities[node], seed) for node in possible}
    pools = {
        node: build_pool(
            folded, node, seeds, wanted[node], used, seed, likely[node], entities[node]
        )
        for node in quota
    }
    pools = with_decoys(folded, pools, possible, pinned or {})
    found = accept_harmless(folded, pools, wanted, used, seed)
    kept = {
        node: thinned(folded, node, own, seed_objects(folded, node, seeds), likely[node], seed)
        for node, own in found.items()
    }
    edge = {node: own.at(kept[node]) for node, own in found.items()}

    def draw(node: str, missing: int) -> Distractors | None:
        taken = used[folded.graph.type_of(node)]
        present = concatenate([seed_objects(folded, node, seeds), edge[node].objects])
        # Half take after what stands there by now, which lacks what the exact test kept away.
        models = likely[node]
        if isinstance(present, CodedObjects):
            again = take(present, np.resize(np.arange(length(present)), length(models)))
            models = concatenate([models, again])
        beside = Surroundings(models, present, entities[node])
        made = generate_node_distractors(folded, node, missing, taken, seed, beside)
        short = missing - (0 if made is None else len(made.broken))
        if short:  # what was thinned out stays where nothing can take its place
            rest = np.setdiff1d(np.arange(len(found[node].broken)), kept[node])[:short]
            edge[node] = found[node].at(np.sort(np.concatenate([kept[node], rest])))
        return made

    wish = fill(quota, edge, draw)
    return replace(assemble(folded, seeds, solutions, edge, wish), sampler=sampler)


def _entities(
    folded: FoldedGraph,
    node: str,
    seeds: Sequence[SeedSolution],
    possible: CodedObjects,
    asked: tuple[int, int],
    seed: int,
) -> Codes | None:
    """Return the entities that a node's valid objects are parts of; `None` where any can be.

    They hold besides these the node distractors that break no constraint on the entity itself.
    `asked` are the node's distractors in all, and how many of them are to break edges.
    """
    total, edge = asked
    weights = breaking_weights(folded, node)
    own = sum(
        weights[item.name]
        for item in folded.node_constraints[node]
        if not speaks_of_entity(folded, node, item)
    )
    beside = (total - KEPT * edge) * own / (sum(weights.values()) or 1)
    count = entities_for(possible.type, edge + beside)
    rng = derive_array_rng(seed, "entities", node)
    return choose_entities([seed_objects(folded, node, seeds), possible], count, rng)


def _likely(
    folded: FoldedGraph, node: str, possible: Solutions, entities: Codes | None, seed: int
) -> CodedObjects:
    """Return objects of a node as they come up in solutions, as parts of some entities."""
    rng = derive_array_rng(seed, "likely objects", node)
    own = take(possible[node], are_parts(possible[node], entities))
    return concatenate([own, redraw(folded, node, possible, rng, entities)])


def draw_seeds(folded: FoldedGraph, count: int, seed: int) -> DrawnSeeds:
    """Return the seed solutions that `populate` draws where any closure will do.

    Raises:
        UnsatisfiableTask: the graph has too few.
    """
    possible = draw_solutions(folded, POSSIBLE, derive_array_rng(seed, "solutions"))
    return _seeds_within(folded, possible, count, range(1, 2**31), seed)


def _seeds_within(
    folded: FoldedGraph,
    possible: Solutions,
    count: int,
    closure: range,
    seed: int,
    pinned: Mapping[str, ConcreteObject] | None = None,
) -> DrawnSeeds:
    """Choose seeds whose combinations are of an acceptable number.

    They are those that python-constraint found, or the possible ones where it found too few; with
    what is `pinned` they are drawn beside that.
    """
    if pinned:
        beside = draw_solutions(folded, POSSIBLE, derive_array_rng(seed, "beside"), pinned)
        return DrawnSeeds(
            _chosen(folded, beside, count, closure, seed, shared=pinned), Sampler.ARRAYS
        )
    sampler = Sampler.CSP
    sampled = sample_solutions(folded, POSSIBLE, derive_array_rng(seed, "sampled solutions"))
    if sampled is not None:
        possible = sampled
    else:
        sampler = Sampler.ARRAYS
    return DrawnSeeds(_chosen(folded, possible, count, closure, seed), sampler)


def _chosen(
    folded: FoldedGraph,
    possible: Solutions,
    count: int,
    closure: range,
    seed: int,
    shared: Collection[str] = (),
) -> Sequence[SeedSolution]:
    """Choose seeds among solutions until the number they combine to is acceptable."""
    possible = _without_missed(folded, possible)
    # What stands beside a seed without completing it costs more than the seed leaves of a bound:
    # the less that is, the less do the seed's parts stand out as cheap.
    _, linear = split_sum(folded.edges)
    if linear is not None:
        weights = linear.weights.items()
        total = sum(weight * possible[node][name] for (node, name), weight in weights)
        kept = np.argsort(-np.asarray(total), kind="stable")
        kept = np.sort(kept[: math.ceil(DEAREST * len(kept))])
        possible = {node: take(columns, kept) for node, columns in possible.items()}
    rng = derive_rng(seed, "seeds")
    acceptable: list[SeedSolution] = []
    for _ in range(CHOICES):
        seeds = choose_seed_solutions(folded, possible, count, rng, shared)
        if count_closure(folded, seeds) in closure:
            acceptable = seeds
            if leaves_room(folded, seeds):
                break
    return acceptable or seeds


def _without_missed(folded: FoldedGraph, possible: Solutions) -> Solutions:
    """Return the solutions that meet no wish which none is to meet.

    Raises:
        UnsatisfiableTask: they all do.
    """
    for wish in folded.graph.missed:
        own = possible[wish.nodes[0]]
        kept = np.setdiff1d(np.arange(length(own)), valid_rows(own, (wish,)))
        if not len(kept):
            raise UnsatisfiableTask(f"wish '{wish.name}' is always met")
        possible = {node: take(columns, kept) for node, columns in possible.items()}
    return possible


def leaves_room(folded: FoldedGraph, seeds: Sequence[SeedSolution]) -> bool:
    """Return whether, where two nodes must agree, each has a value for itself that no seed has."""
    return all(
        len(free_values(folded, edge, seeds)) >= len(edge.nodes)
        for edge in folded.edges
        if edge.predicate is equals
    )


def count_closure(folded: FoldedGraph, seeds: Sequence[SeedSolution]) -> int:
    """Return how many valid solutions the parts of the seeds combine to."""
    parts = {node: seed_objects(folded, node, seeds) for node in folded.graph.node_ids}
    fits = np.ones([length(own) for own in parts.values()], dtype=np.bool_)
    for edge in folded.edges:
        fits &= try_out(edge, parts)
    return int(fits.sum())


def seed_objects(folded: FoldedGraph, node: str, seeds: Sequence[SeedSolution]) -> CodedObjects:
    """Return the distinct objects of a node in the seeds."""
    distinct = {item[node][IDENTITY]: item[node] for item in seeds}
    return CodedObjects.of(folded.types[folded.graph.type_of(node)], list(distinct.values()))


def admit_seeds(
    folded: FoldedGraph, seeds: Sequence[SeedSolution], closure: range
) -> tuple[int, dict[str, Identities]]:
    """Return the closure of the seeds and, by node type, the identities that they take.

    Raises:
        UnsatisfiableTask: the closure is none of the acceptable numbers.
    """
    solutions = count_closure(folded, seeds)
    if solutions not in closure:
        raise UnsatisfiableTask(f"the seeds combine to {solutions} solutions")
    used: dict[str, Identities] = {name: set() for name in folded.types}
    for node in folded.graph.nodes:
        used[node.type].update(seed_objects(folded, node.id, seeds)[IDENTITY].tolist())
    return solutions, used


def edge_share(folded: FoldedGraph, quota: Mapping[str, int]) -> dict[str, int]:
    """Return how many distractors of each node are to break edges: all where no wish can break."""
    return {
        node: round(EDGE_SHARE * number) if can_be_broken(folded, node) else number
        for node, number in quota.items()
    }


def split_evenly(nodes: Sequence[str], total: int) -> dict[str, int]:
    """Return each node's share; the first ones are larger by one where it does not divide."""
    return {
        node: total // len(nodes) + (position < total % len(nodes))
        for position, node in enumerate(nodes)
    }


def fill(
    quota: Mapping[str, int],
    edge: Mapping[str, Distractors],
    draw: Callable[[str, int], Distractors | None],
) -> dict[str, Distractors]:
    """Return the node distractors that nodes have room for beside their edge distractors.

    `draw` may add to the latter where it makes fewer than it is asked for.

    Raises:
        UnsatisfiableTask: `draw` makes fewer for a node than it is asked for.
    """
    wish: dict[str, Distractors] = {}
    for node, number in quota.items():
        missing = number - len(edge[node].broken)
        made = draw(node, missing) if missing else None
        if made is not None:
            wish[node] = made
        missing = number - len(edge[node].broken)
        if missing and (made is None or len(made.broken) < missing):
            raise UnsatisfiableTask(f"node '{node}' has too few objects for its distractors")
    return wish


def assemble(
    folded: FoldedGraph,
    seeds: Sequence[SeedSolution],
    closure: int,
    edge: Mapping[str, Distractors],
    wish: Mapping[str, Distractors],
) -> Population:
    """Return the population: of each node the seeds' parts, then what breaks edges, then wishes."""
    objects: dict[str, list[Columns]] = {name: [] for name in folded.types}
    nodes: dict[str, list[str]] = {name: [] for name in folded.types}
    origins: dict[str, list[Origin]] = {name: [] for name in folded.types}
    broken: dict[str, list[str]] = {name: [] for name in folded.types}
    for node in folded.graph.nodes:
        own = seed_objects(folded, node.id, seeds)
        seed = {node.id: Distractors(own, [""] * length(own))}
        kinds: tuple[tuple[Origin, Mapping[str, Distractors]], ...]
        kinds = (("seed", seed), ("edge", edge), ("node", wish))
        for origin, made in kinds:
            if node.id in made:
                words = made[node.id].broken
                objects[node.type].append(made[node.id].objects)
                nodes[node.type] += [node.id] * len(words)
                origins[node.type] += [origin] * len(words)
                broken[node.type] += words
    joined = {name: concatenate(parts) for name, parts in objects.items()}
    return Population(joined, nodes, origins, broken, seeds, closure)
