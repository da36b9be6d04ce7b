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
from crab_graph.generation.bundles import Occupancy, choose_entities, entities_for
from crab_graph.generation.candidates import CandidatePool, Identities, draw_distinct
from crab_graph.generation.constraint_graph import Codes
from crab_graph.generation.constraints import Constraint
from crab_graph.generation.counting import EliminationCounter
from crab_graph.generation.decoys import accept_decoys
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

WHOLE_SHARE = 0.5
"""Share of node distractors that keep all other constraints, where entities have several offers."""

_WIDENED = 3
"""The round of drawing from which on there may be more entities."""

EXCESS = 4
"""Candidates drawn for each node distractor, among which those that level groups are chosen."""


class Surroundings(NamedTuple):
    """What the node distractors of a node are to look like and stand beside.

    Attributes:
        likely: Objects of the node as they come up in solutions.
        present: Its node-valid objects: seeds and edge distractors.
        entities: Those that these are parts of; `None` where they are not limited.
    """

    likely: CodedObjects
    present: Columns
    entities: Codes | None = None


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
    beside: Surroundings | None = None,
) -> Distractors | None:
    """Return node distractors: objects that break a node constraint.

    As in Algorithm 2 an object breaks one constraint and keeps the node's others; where a task has
    too few of these, the rest break a constraint and keep only the structural ones (the reading of
    section 3.2.3). A count takes the place of the ratio ρ. An object that some node of the same
    type could use (a shared table) is left out, whichever node it was made for.

    Fewer than `wanted` come back where the domains are too small; their identities are added to
    those in `used`. Where it is known what they stand beside, distractors take after likely objects
    in all but the constraint they break, so that neither dates nor carriers set them apart, and
    level the groups in which the node-valid objects that are present already stand.
    """
    draw = _Draw(folded, node, beside)
    room = Occupancy(folded.types[folded.graph.type_of(node)], used)
    parts: list[Distractors] = []
    missing = wanted
    # Where entities have several offers each, half of the distractors keep to no other wish, or all
    # that an entity has would be what is wished for and its neighbours.
    kept_whole = 1.0 if draw.entities is None else WHOLE_SHARE
    # What is asked of one value out of few leaves entities less room; what finds none is redrawn.
    last = 4 if folded.graph.rivals else 2
    rounds = (("all", True), ("structural", True), ("all", False), *[("structural", False)] * last)
    for number, (kept, is_like) in enumerate(rounds):
        if missing <= 0:
            break
        if number >= _WIDENED:
            draw.widen(is_last=number > _WIDENED)
        asked = math.ceil(missing * kept_whole) if number == 0 else missing
        shares = draw.shares(kept, asked)
        rngs = [
            derive_array_rng(seed, "node distractors", node, name, len(parts)) for name in shares
        ]
        candidates = draw.candidates(kept, shares, rngs, set(used), is_like=is_like)
        if candidates is None:
            continue
        if len(candidates.broken) > asked:
            rng = derive_array_rng(seed, "balance", node, len(parts))
            chosen = choose_balanced(*candidates, shares, draw.levels(), asked, rng)
            candidates = candidates.at(chosen)
        candidates = candidates.at(room.admit(candidates.objects[IDENTITY]))
        used.update(candidates.objects[IDENTITY].tolist())
        parts.append(candidates)
        missing -= len(candidates.broken)
    return join(parts)


def breaking_weights(folded: FoldedGraph, node: str) -> dict[str, float]:
    """Return how often each constraint of a node is broken by its node distractors, relatively."""
    return {
        item.name: STRUCTURAL_SHARE if item.structural else 1.0
        for item in folded.node_constraints[node]
    }


class _Draw:
    """Draws the candidates for node distractors of one node.

    Attributes:
        entities: By constraint, those that what breaks it is part of, once drawn. What breaks a
            constraint on the entity itself is part of others than the node-valid objects are.
    """

    def __init__(self, folded: FoldedGraph, node: str, beside: Surroundings | None) -> None:
        self._folded, self._node, self._beside = folded, node, beside
        self._type = folded.types[folded.graph.type_of(node)]
        self._domains: dict[str, dict[str, NodeDomain]] = {}
        self.entities: dict[str, Codes] | None = None
        if beside is not None and beside.entities is not None:
            self.entities = {
                item.name: beside.entities
                for item in folded.node_constraints[node]
                if not speaks_of_entity(folded, node, item)
            }

    def widen(self, *, is_last: bool) -> None:
        """Let there be more entities: rather others than too few distractors, and at last any."""
        if self.entities is not None and self._beside is not None:
            own = self._beside.entities
            kept = {name: one for name, one in self.entities.items() if one is own}
            self.entities = None if is_last else kept

    def domains(self, kept: str) -> dict[str, NodeDomain]:
        """Return, for each constraint, what breaks it and keeps all others or structural ones."""
        if kept not in self._domains:
            self._domains[kept] = _breaking_domains(self._folded, self._node, kept)
        return self._domains[kept]

    def shares(self, kept: str, wanted: int) -> dict[str, int]:
        """Return how many of `wanted` distractors are to break each constraint."""
        weights = breaking_weights(self._folded, self._node)
        weights = {name: own for name, own in weights.items() if name in self.domains(kept)}
        whole = sum(weights.values())
        return {name: int(np.ceil(wanted * own / whole)) for name, own in weights.items()}

    def candidates(
        self,
        kept: str,
        shares: Mapping[str, int],
        rngs: Sequence[np.random.RandomState],
        taken: Identities,
        *,
        is_like: bool,
    ) -> Distractors | None:
        """Return candidates, more than the shares where there are so many."""
        likely = self._beside.likely if self._beside is not None and is_like else None
        models = likely.codes if likely is not None and length(likely) else None
        type_ = self._type
        has_own = self.entities is not None and kept == "structural"
        loose = set(type_.identity) - set(type_.bundle) if has_own else ()
        parts: list[Distractors] = []
        for (name, share), rng in zip(shares.items(), rngs, strict=True):
            domain = self.domains(kept)[name]
            within = self._entities(domain, name, share, rng, models)
            drawn = draw_distinct(domain, EXCESS * share, rng, taken, models, within, loose)
            if drawn is not None:
                harmless = take(drawn, ~fills_any_node(self._folded, self._type.name, drawn))
                parts.append(Distractors(harmless, [name] * length(harmless)))
        return join(parts)

    def _entities(
        self,
        domain: NodeDomain,
        name: str,
        share: int,
        rng: np.random.RandomState,
        models: Codes | None,
    ) -> Codes | None:
        """Return the entities that what breaks a constraint is part of; `None` for any."""
        if self.entities is None:
            return None
        if name not in self.entities:
            drawn = domain.draw(rng, EXCESS * share, models)
            if not length(drawn):
                return None
            count = entities_for(self._type, share)
            chosen = choose_entities([take(drawn, slice(0, 1)), drawn], count, rng)
            if chosen is not None:
                self.entities[name] = chosen
        return self.entities.get(name)

    def levels(self) -> list[Levels]:
        """Return the groupings whose sizes the exact test would give away.

        Every property that an active edge reads, by itself and within what the structural
        constraints read (a city, a route), and the entities that offers are bundled into.
        """
        if self._beside is None:
            return []
        likely, present = self._beside.likely, self._beside.present
        structural = tuple(
            name
            for item in self._folded.node_constraints[self._node]
            if item.structural
            for name in item.properties_of(self._node)
        )
        names = self._folded.edge_properties(self._node)
        singles = [Levels((name,), present, likely) for name in names]
        within = [Levels((*structural, name), present, likely) for name in names if structural]
        known: Columns = present
        if self.entities:
            known = concatenate([CodedObjects(self._type, own) for own in self.entities.values()])
        bundle = self._type.bundle
        return [*singles, *within, *([Levels(bundle, present, known)] if bundle else [])]


def speaks_of_entity(folded: FoldedGraph, node: str, item: Constraint) -> bool:
    """Return whether a constraint of a node reads what the offers of an entity share."""
    type_ = folded.types[folded.graph.type_of(node)]
    return bool(set(type_.bundle) & set(type_.free_inputs(*item.properties_of(node))))


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
    room = {name: Occupancy(type_, used[name]) for name, type_ in folded.types.items()}
    accept_decoys(pools, counter, accepted)
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
            identities = pools[node].objects[IDENTITY][harmless[:quota]]
            admitted = room[folded.graph.type_of(node)].admit(identities)
            accepted[node] = np.concatenate([accepted[node], harmless[admitted]])
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
