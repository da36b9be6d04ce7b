"""The paper's Algorithms 1, 2 and 3 as A.4 has them: the reference path, and an oracle for tests.

Algorithm 3 does not ensure what section 3.2.3 promises: an object made for one edge constraint can
complete a solution through another. Repaired, edge distractors pass the exact test of the fast
path, and every node is filled or cut to its share. Literal, everything that Algorithms 2 and 3
return is kept, and with it whatever solutions it adds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from math import ceil, prod
from random import Random

import numpy as np

from crab_graph.errors import UnsatisfiableTask, UsageError
from crab_graph.generation.bundles import Occupancy
from crab_graph.generation.candidates import CandidatePool, Identities
from crab_graph.generation.constraints import Constraint
from crab_graph.generation.csp import Sampling
from crab_graph.generation.distractors import Distractors, accept_harmless, fills_any_node, join
from crab_graph.generation.distractors import generate_node_distractors as draw_node_distractors
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.listable_graph import ListableGraph, build_listable_graph
from crab_graph.generation.objects import (
    IDENTITY,
    Columns,
    Mask,
    Profile,
    concatenate,
    length,
    profile_columns,
    profiles,
    row,
    take,
    try_out,
)
from crab_graph.generation.population import (
    Population,
    admit_seeds,
    assemble,
    edge_share,
    fill,
    seed_objects,
    split_evenly,
)
from crab_graph.generation.seeds import SeedSolution
from crab_graph.randomness import derive_array_rng, derive_rng

CHUNK = 4_000_000
"""Largest number of combinations of profiles tested in one go."""


def sample_seed_solutions(
    graph: ListableGraph, count: int, attempts: int, sampling: Sampling, rng: Random
) -> list[SeedSolution]:
    """Return the set S of seed solutions: Algorithm 1 of A.4, with its parameters G, k and m.

    `count` is the desired seed count k, `attempts` the attempt multiplier m.

    Raises:
        UnsatisfiableTask: the fallback found fewer than `count` as well.
        TooLargeToEnumerate: SampleCSP is asked to enumerate too much.
    """
    seeds: list[SeedSolution] = []
    for binding in graph.sample_csp(attempts * count, rng, sampling):  # lines 4 to 6
        seed: SeedSolution = {}
        for node in graph.folded.graph.node_ids:  # lines 10 to 17
            overrides = {name: value for (owner, name), value in binding.items() if owner == node}
            options = graph.solve_node(node, graph.folded.node_constraints[node], overrides)
            if length(options) == 0:
                break
            seed[node] = row(options, rng.randrange(length(options)))
        if len(seed) == len(graph.folded.graph.node_ids) and seed not in seeds:  # lines 18 to 20
            seeds.append(seed)
        if len(seeds) == count:
            return seeds
    fallback = graph.solve_graph(count, rng)  # lines 24 to 27
    if len(fallback) < count:
        raise UnsatisfiableTask(f"the graph has {len(fallback)} of {count} seed solutions")
    return [{node: row(one, 0) for node, one in found.items()} for found in fallback]


def generate_node_distractors(
    graph: ListableGraph, ratio: float, rng: Random
) -> dict[str, Distractors]:
    """Return D_node by node: Algorithm 2, GenerateNodeDistractors(G, ρ), ρ in (0, 1]."""
    made: dict[str, Distractors] = {}
    for node, own in graph.folded.node_constraints.items():  # line 4
        parts: list[Columns] = []
        broken: list[str] = []
        for item in own:  # lines 5 to 10
            others = [other for other in own if other is not item]
            violating = graph.solve_node(node, [*others, item.negated()], {})
            size = length(violating)
            chosen = sorted(rng.sample(range(size), ceil(ratio * size)))
            parts.append(take(violating, np.array(chosen, dtype=np.int64)))
            broken += [item.name] * len(chosen)
        if broken:
            made[node] = Distractors(concatenate(parts), broken)
    return made


def generate_edge_distractors(
    graph: ListableGraph, seeds: Sequence[SeedSolution], rng: Random
) -> dict[str, Distractors]:
    """Return D_edge by node: Algorithm 3, GenerateEdgeDistractors(G, S), literally.

    I_c has up to 10^11 tuples, so it is not listed (line 5); the predicate is tested instead.
    `rng` decides which bad profile is picked next (line 16).
    """
    parts: dict[str, list[Columns]] = {node: [] for node in graph.folded.graph.node_ids}
    broken: dict[str, list[str]] = {node: [] for node in parts}
    made: dict[str, set[int]] = {node: set() for node in parts}
    for edge in graph.folded.edges:  # line 4
        pool = ProfilePool.build(graph, edge, seeds)
        while any(pool.bad.values()):  # line 15
            node, profile = pool.pick(rng)
            overrides = dict(zip(edge.properties_of(node), profile, strict=True))
            found = graph.solve_node(node, graph.folded.node_constraints[node], overrides)
            fresh = np.array(
                [number not in made[node] for number in found[IDENTITY].tolist()], dtype=bool
            )
            parts[node].append(take(found, fresh))  # line 19, a union
            made[node].update(found[IDENTITY].tolist())
            broken[node] += [edge.name] * int(fresh.sum())
            pool.admit(node, profile)
    return {node: Distractors(concatenate(own), broken[node]) for node, own in parts.items() if own}


@dataclass
class ProfilePool:
    """For each node of an edge constraint c, profiles as Algorithm 3 keeps them.

    The valid ones are those of the objects that exist so far; the bad ones violate c with every
    combination of these.
    """

    edge: Constraint
    valid: dict[str, list[Profile]]
    bad: dict[str, list[Profile]] = field(default_factory=dict)

    @classmethod
    def build(
        cls, graph: ListableGraph, edge: Constraint, seeds: Sequence[SeedSolution]
    ) -> "ProfilePool":
        """Return the pool as lines 7 to 14 initialise it."""
        names = {node: edge.properties_of(node) for node in edge.nodes}
        pool = cls(
            edge,
            {
                node: sorted({tuple(seed[node][name] for name in own) for seed in seeds}, key=repr)
                for node, own in names.items()
            },
        )
        for node, own in names.items():
            shown = profiles(graph.objects[node], own)
            mask = are_universally_bad(edge, node, shown, pool.valid)
            pool.bad[node] = list(compress(shown, mask))
        return pool

    def pick(self, rng: Random) -> tuple[str, Profile]:
        """Return some node and one of its bad profiles (line 16)."""
        number = rng.randrange(sum(map(len, self.bad.values())))
        for node, own in self.bad.items():
            if number < len(own):
                return node, own[number]
            number -= len(own)
        raise IndexError("no profile is bad")

    def admit(self, node: str, profile: Profile) -> None:
        """Make a bad profile valid, and keep of the others' what it does not rescue.

        Lines 20 to 25. A profile that was bad before can only be rescued through the one that is
        new, so the other valid profiles of `node` need no second look.
        """
        self.valid[node].append(profile)
        self.bad[node].remove(profile)
        new = {**self.valid, node: [profile]}
        for other in self.edge.nodes:
            if other != node and self.bad[other]:
                mask = are_universally_bad(self.edge, other, self.bad[other], new)
                self.bad[other] = list(compress(self.bad[other], mask))


def are_universally_bad(
    edge: Constraint, node: str, tried: Sequence[Profile], valid: Mapping[str, Sequence[Profile]]
) -> Mask:
    """Return for profiles π of a node whether each is: UniversallyBad(π, n, c).

    True iff π violates c with every combination of valid profiles of the other nodes in c. Of a
    bounded sum only the least combination needs a look.
    """
    others = {other: valid[other] for other in edge.nodes if other != node}
    if not tried:
        return np.zeros(0, dtype=np.bool_)
    if edge.linear is not None:
        weights = edge.linear.weights
        for other, own in others.items():
            factors = [weights[(other, name)] for name in edge.properties_of(other)]
            sums = [
                sum(factor * int(value) for factor, value in zip(factors, one, strict=True))
                for one in own
            ]
            others[other] = [own[sums.index(min(sums))]]
    step = max(1, CHUNK // max(1, prod(len(own) for own in others.values())))
    shown = {
        other: profile_columns(edge.properties_of(other), own) for other, own in others.items()
    }
    masks: list[Mask] = []
    for start in range(0, len(tried), step):
        part = tried[start : start + step]
        holds = try_out(edge, {node: profile_columns(edge.properties_of(node), part), **shown})
        masks.append(~np.asarray(holds.reshape(len(part), -1).any(axis=1), dtype=np.bool_))
    return np.concatenate(masks)


ATTEMPTS = 20
"""Default of the attempt multiplier m of Algorithm 1."""

RATIO = 0.05
"""Default of the sampling ratio ρ of Algorithm 2: 1,000 to 4,000 node distractors a task."""


@dataclass(frozen=True, slots=True)
class PaperParameters:
    """What the paper's algorithms leave to their user beside k, and whether to repair what they do.

    Algorithm 1 has the attempt multiplier m, Algorithm 2 the sampling ratio ρ; repair leaves out
    the distractors that add solutions. The sampling may be given by its name.

    Raises:
        UsageError: there is no such sampling.
    """

    attempts: int = ATTEMPTS
    ratio: float = RATIO
    sampling: Sampling = Sampling.SHUFFLE
    repair: bool = True

    def __post_init__(self) -> None:
        """Take a name for what it means, so that no unknown one reaches a manifest."""
        if self.sampling not in tuple(Sampling):
            known = " or ".join(Sampling)
            raise UsageError(f"sampling must be {known}, not {self.sampling!r}")
        object.__setattr__(self, "sampling", Sampling(self.sampling))


def populate_by_paper(
    folded: FoldedGraph,
    parameters: PaperParameters,
    *,
    seed_count: int,
    closure: range,
    distractors: int,
    seed: int,
) -> Population:
    """Generate the objects of a task by Algorithms 1, 2 and 3.

    The arguments are those of `populate`; without repair all distractors are kept, however many.

    Raises:
        UnsatisfiableTask: the graph has too few seed solutions or objects, or their closure is off.
        TooLargeToEnumerate: SampleCSP is asked to enumerate too much.
    """
    graph = build_listable_graph(folded)
    seeds = sample_seed_solutions(
        graph, seed_count, parameters.attempts, parameters.sampling, derive_rng(seed, "seeds")
    )
    solutions, used = admit_seeds(folded, seeds, closure)
    by_wish = generate_node_distractors(
        graph, parameters.ratio, derive_rng(seed, "node distractors")
    )
    by_edge = generate_edge_distractors(graph, seeds, derive_rng(seed, "edge distractors"))
    if not parameters.repair:
        by_edge = _without_repeats(folded, by_edge, used)
        by_wish = _without_repeats(folded, by_wish, used)
        return assemble(folded, seeds, solutions, by_edge, by_wish)
    quota = split_evenly(folded.graph.node_ids, distractors)
    wanted = edge_share(folded, quota)
    pools = {
        node: _pool(seed_objects(folded, node, seeds), by_edge.get(node), node, seed)
        for node in quota
    }
    edge = accept_harmless(folded, pools, wanted, used, seed)

    def draw(node: str, missing: int) -> Distractors | None:
        return _harmless(folded, node, by_wish.get(node), missing, used, seed)

    return assemble(folded, seeds, solutions, edge, fill(quota, edge, draw))


def _pool(own: Columns, made: Distractors | None, node: str, seed: int) -> CandidatePool:
    size = length(own)
    made = made or Distractors(take(own, slice(0)), [])
    order = size + derive_array_rng(seed, "repair", node).permutation(len(made.broken))
    broken = [""] * size + made.broken
    objects = concatenate([own, made.objects])
    return CandidatePool(objects, broken, size, order, np.zeros(length(objects), dtype=np.int64))


def _harmless(
    folded: FoldedGraph,
    node: str,
    made: Distractors | None,
    wanted: int,
    used: Mapping[str, Identities],
    seed: int,
) -> Distractors | None:
    """Cut what Algorithm 2 made to the number wanted, or fill it up as the fast path draws."""
    type_name = folded.graph.type_of(node)
    taken = used[type_name]
    parts: list[Distractors] = []
    if made is not None:
        idle = ~fills_any_node(folded, type_name, made.objects)
        idle &= [number not in taken for number in made.objects[IDENTITY].tolist()]
        rng = derive_array_rng(seed, "cut", node)
        parts.append(made.at(rng.permutation(np.flatnonzero(idle))[:wanted]))
        room = Occupancy(folded.types[type_name], taken)
        parts[0] = parts[0].at(room.admit(parts[0].objects[IDENTITY]))
        taken.update(parts[0].objects[IDENTITY].tolist())
        wanted -= len(parts[0].broken)
    filled = draw_node_distractors(folded, node, wanted, taken, seed)
    return join([*parts, *([filled] if filled is not None else [])])


def _without_repeats(
    folded: FoldedGraph, made: Mapping[str, Distractors], used: Mapping[str, Identities]
) -> dict[str, Distractors]:
    """Leave out objects that exist already: nodes that share a table can ask for the same one."""
    kept: dict[str, Distractors] = {}
    for node, own in made.items():
        known = used[folded.graph.type_of(node)]
        numbers = own.objects[IDENTITY].tolist()
        fresh = [position for position, number in enumerate(numbers) if number not in known]
        known.update(numbers)
        kept[node] = own.at(np.array(fresh, dtype=np.int64))
    return kept
