"""The objects of one task by the paper's own algorithms, repaired or literal (section 3.2, A.4).

Repaired, edge distractors pass the exact test of the fast path, and every node is filled or cut to
its share. Literal, everything that Algorithms 2 and 3 return is kept, and with it whatever
solutions it adds.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from crab_graph.generation.candidates import CandidatePool, Identities
from crab_graph.generation.csp import Sampling, build_listable_graph
from crab_graph.generation.distractors import Distractors, accept_harmless, fills_any_node, join
from crab_graph.generation.distractors import generate_node_distractors as fill_node_distractors
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import IDENTITY, Columns, concatenate, length
from crab_graph.generation.paper import (
    generate_edge_distractors,
    generate_node_distractors,
    generate_seed_solutions,
)
from crab_graph.generation.population import (
    EDGE_SHARE,
    Population,
    admit_seeds,
    assemble,
    fill,
    seed_objects,
    split_evenly,
)
from crab_graph.randomness import derive_array_rng, derive_rng

ATTEMPTS = 20
"""Default of the attempt multiplier m of Algorithm 1."""

RATIO = 0.05
"""Default of the sampling ratio ρ of Algorithm 2: 1,000 to 4,000 node distractors a task."""


@dataclass(frozen=True, slots=True)
class PaperParameters:
    """What the paper's algorithms leave to their user beside k, and whether to repair what they do.

    Algorithm 1 has the attempt multiplier m, Algorithm 2 the sampling ratio ρ; repair leaves out
    the distractors that add solutions.
    """

    attempts: int = ATTEMPTS
    ratio: float = RATIO
    sampling: Sampling = Sampling.SHUFFLE
    repair: bool = True


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
        UsageError: SampleCSP is asked to enumerate too much.
    """
    graph = build_listable_graph(folded)
    seeds = generate_seed_solutions(
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
    wanted = {node: round(EDGE_SHARE * number) for node, number in quota.items()}
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
    if made is None:
        return CandidatePool(own, [""] * size, size, np.zeros(0, dtype=np.int64))
    order = derive_array_rng(seed, "repair", node).permutation(len(made.broken))
    return CandidatePool(
        concatenate([own, made.objects]), [""] * size + made.broken, size, order + size
    )


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
        taken.update(parts[0].objects[IDENTITY].tolist())
        wanted -= len(parts[0].broken)
    filled = fill_node_distractors(folded, node, wanted, taken, seed)
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
