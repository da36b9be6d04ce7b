"""Distractors (paper section 3.2.3): objects that mislead and add no valid solution.

Algorithm 3 of the paper proves an object harmless against one edge constraint at a time, yet an
object made for one edge can complete a solution through another. Here every candidate is tested
against all objects accepted so far, exactly and for all edges at once; candidates through which a
solution runs are dropped. Candidates of one node can be tested together, since a solution holds
one object a node.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.balance import Levels, choose_balanced
from crab_graph.generation.candidates import CandidatePool, Identities, draw_distinct
from crab_graph.generation.constraint_graph import Codes
from crab_graph.generation.counting import EliminationCounter
from crab_graph.generation.folding import FoldedGraph, NodeDomain
from crab_graph.generation.objects import (
    IDENTITY,
    CodedObjects,
    Columns,
    IntArray,
    Mask,
    concatenate,
    length,
    take,
    valid_rows,
)
from crab_graph.randomness import derive_array_rng

ROUNDS = (0.06, 0.25, 0.5, 0.75, 1.0)
"""Share of its distractors that each node may have after each round of acceptance, so that none
crowds the others out: what is accepted of one node is denied to those it would complete."""

STRUCTURAL_SHARE = 0.25
"""How often node distractors break a structural constraint, against 1 for a wish of the user:
an agent that searches the right route never sees the former."""

EXCESS = 4
"""Candidates drawn for each node distractor, among which those that level groups are chosen."""


class Distractors(NamedTuple):
    """Objects of one node and, for each, the constraint it was made to break."""

    objects: Columns
    broken: list[str]

    def at(self, places: IntArray) -> "Distractors":
        """Return the distractors at some positions."""
        return Distractors(take(self.objects, places), [self.broken[place] for place in places])


def join(parts: Sequence[Distractors]) -> Distractors | None:
    """Return the distractors of all parts, or `None` where there are none."""
    broken = [name for part in parts for name in part.broken]
    return Distractors(concatenate([part.objects for part in parts]), broken) if broken else None


def generate_node_distractors(
    folded: FoldedGraph,
    node: str,
    wanted: int,
    used: Identities,
    seed: int,
    likely: CodedObjects | None = None,
    present: Columns | None = None,
) -> Distractors | None:
    """Return node distractors: objects that break a node constraint.

    As in Algorithm 2 an object breaks one constraint and keeps the node's others; where a task has
    too few of these, the rest break a constraint and keep only the structural ones (the reading of
    section 3.2.3). A count takes the place of the ratio ρ. An object that some node of the same
    type could use (a shared table) is left out, whichever node it was made for.

    Fewer than `wanted` come back where the domains are too small; their identities are added to
    those in `used`. Distractors take after `likely` objects, as they come up in solutions, in all
    but the constraint they break, so that neither dates nor carriers set them apart, and level the
    groups in which the node-valid objects that are `present` already stand.
    """
    models = None if likely is None else likely.codes
    levels = [] if likely is None or present is None else _levels(folded, node, likely, present)
    parts: list[Distractors] = []
    missing = wanted
    rounds = (("all", models), ("structural", models), ("all", None), *[("structural", None)] * 2)
    for kept, like in rounds:
        if missing <= 0:
            break
        domains = _breaking_domains(folded, node, kept)
        weights = {
            item.name: STRUCTURAL_SHARE if item.structural else 1.0
            for item in folded.node_constraints[node]
            if item.name in domains
        }
        whole = sum(weights.values())
        shares = {name: int(np.ceil(missing * own / whole)) for name, own in weights.items()}
        rngs = [
            derive_array_rng(seed, "node distractors", node, name, len(parts)) for name in shares
        ]
        candidates = _draw_breaking(folded, domains, shares, rngs, set(used), like)
        if candidates is None:
            continue
        if len(candidates.broken) > missing:
            rng = derive_array_rng(seed, "balance", node, len(parts))
            candidates = candidates.at(choose_balanced(*candidates, shares, levels, missing, rng))
        used.update(candidates.objects[IDENTITY].tolist())
        parts.append(candidates)
        missing -= len(candidates.broken)
    return join(parts)


def _draw_breaking(
    folded: FoldedGraph,
    domains: Mapping[str, NodeDomain],
    shares: Mapping[str, int],
    rngs: Sequence[np.random.RandomState],
    taken: Identities,
    like: Codes | None,
) -> Distractors | None:
    """Return candidates for node distractors, more than the shares where there are so many."""
    parts: list[Distractors] = []
    for (name, share), rng in zip(shares.items(), rngs, strict=True):
        drawn = draw_distinct(domains[name], EXCESS * share, rng, taken, models=like)
        if drawn is not None:
            harmless = take(drawn, ~fills_any_node(folded, domains[name].type.name, drawn))
            parts.append(Distractors(harmless, [name] * length(harmless)))
    return join(parts)


def _levels(folded: FoldedGraph, node: str, likely: Columns, present: Columns) -> list[Levels]:
    """Return the groupings whose sizes the exact test would give away.

    Every property that an active edge reads, by itself and within what the structural constraints
    read (a city, a route), and the entities that offers are bundled into.
    """
    structural = tuple(
        name
        for item in folded.node_constraints[node]
        if item.structural
        for name in item.properties_of(node)
    )
    names = folded.edge_properties(node)
    singles = [Levels((name,), present, likely) for name in names]
    within = [Levels((*structural, name), present, likely) for name in names if structural]
    bundle = folded.types[folded.graph.type_of(node)].bundle
    return [*singles, *within, *([Levels(bundle, present, present)] if bundle else [])]


def accept_harmless(
    folded: FoldedGraph,
    pools: Mapping[str, CandidatePool],
    wanted: Mapping[str, int],
    used: Mapping[str, Identities],
    seed: int,
) -> dict[str, Distractors]:
    """Return the candidates of each node through which, accepted together, no solution runs.

    At most so many are accepted as are `wanted`; their identities are added to those in `used`.
    """
    nodes = folded.graph.node_ids
    objects = {node: pool.objects for node, pool in pools.items()}
    counter = EliminationCounter(nodes, folded.edges, objects)
    accepted = {node: np.arange(pool.seed_count) for node, pool in pools.items()}
    queues = {node: pool.order for node, pool in pools.items()}
    rng = derive_array_rng(seed, "edge distractor rounds")
    for share in ROUNDS:
        for position in rng.permutation(len(nodes)):
            node = nodes[position]
            present = len(accepted[node]) - pools[node].seed_count
            quota = math.ceil(share * wanted[node]) - present
            batch, queues[node] = queues[node][: 6 * quota], queues[node][6 * quota :]
            if quota <= 0 or len(batch) == 0:
                continue
            harmless = batch[~counter.has_solution(node, batch, accepted)]
            harmless = pools[node].smallest_first(harmless, accepted[node])
            accepted[node] = np.concatenate([accepted[node], harmless[:quota]])
            # What passed but found no room may be tried again; what failed is out for good, because
            # more objects can only complete it further.
            queues[node] = np.concatenate([harmless[quota:], queues[node]])
    found: dict[str, Distractors] = {}
    for node, pool in pools.items():
        made = Distractors(pool.objects, pool.broken)
        found[node] = made.at(accepted[node][pool.seed_count :])
        used[folded.graph.type_of(node)].update(found[node].objects[IDENTITY].tolist())
    return found


def _breaking_domains(folded: FoldedGraph, node: str, kept: str) -> dict[str, NodeDomain]:
    """Return, for each constraint of a node, the objects that break it and keep the others."""
    domains: dict[str, NodeDomain] = {}
    for item in folded.node_constraints[node]:
        others = [
            other
            for other in folded.node_constraints[node]
            if other is not item and (kept == "all" or other.structural)
        ]
        with suppress(UnsatisfiableTask):
            domains[item.name] = folded.domain(node, [*others, item.negated()])
    return domains


def can_be_broken(folded: FoldedGraph, node: str) -> bool:
    """Return whether some object breaks a constraint of a node and keeps the structural ones."""
    asked = folded.node_constraints[node]
    structural = [item for item in asked if item.structural]
    for item in sorted(asked, key=lambda item: item.structural):
        others = [other for other in structural if other is not item]
        with suppress(UnsatisfiableTask):
            folded.domain(node, [*others, item.negated()])
            return True
    return False


def fills_any_node(folded: FoldedGraph, type_name: str, objects: Columns) -> Mask:
    """Return which objects some node of the type could use."""
    fills = np.zeros(length(objects), dtype=bool)
    for node in folded.graph.nodes:
        if node.type == type_name:
            fills[valid_rows(objects, folded.node_constraints[node.id])] = True
    return fills
