"""What a task must have to be worth solving.

Edges tie objects to each other. Where one edge is active, or hardly an object breaks any, there is
little to find out, and a node that no active edge ties is filled by whatever fits its wishes. Every
task therefore has `FEWEST_EDGES` active edges and, of each node, `FEWEST_FITTING` objects that fit
its wishes; `LEAST_EDGE_SHARE` of the distractors break edges. A domain that declares less is taken
as far as it goes.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from math import prod
from typing import NamedTuple

import duckdb
import numpy as np

from crab_graph.domain.contract import Domain, find_domain
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.certify import StoredTask
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, Value
from crab_graph.generation.counting import EliminationCounter, Rows
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import IDENTITY, Columns, valid_rows
from crab_graph.generation.seeds import SeedSolution
from crab_graph.generation.shortcuts import find_shortcuts
from crab_graph.randomness import derive_array_rng, derive_seed

FEWEST_EDGES = 2
"""Active edges of every task."""

FEWEST_FITTING = 5
"""Objects of each node that fit its wishes, those of solutions included."""

LEAST_EDGE_SHARE = 0.05
"""Share of the distractors that break edges: 100 of 2,000."""

LEAST_POSSIBLE_SHARE = 0.002
"""Where little can exist, so large a share of all that can is enough."""

ENOUGH_DISTRACTORS = 400
"""From so many distractors on a task must have what takes distractors: near misses of every edge,
and substance."""

PROBES = 20
"""Drafts from which is seen how much the edges of a domain tie."""

OFTEN = 4
"""So many of them reach what is then asked of every draft."""


class Ties(NamedTuple):
    """How many edges of a draft are active, up to `FEWEST_EDGES`, and how many nodes they tie."""

    edges: int
    nodes: int

    @classmethod
    def of(cls, folded: FoldedGraph) -> "Ties":
        """Return the ties of a folded graph."""
        return cls(min(len(folded.edges), FEWEST_EDGES), len(_tied(folded)))


def check_ties(domain: Domain, axes: Mapping[str, Value], folded: FoldedGraph) -> None:
    """Refuse a draft whose edges tie less than those of its domain can.

    Raises:
        UnsatisfiableTask: too few edges are active, or they leave nodes alone.
    """
    if not folded.edges:
        raise UnsatisfiableTask("no edge constraint is active")
    asked, found = _ties_asked(domain.name, tuple(axes.items())), Ties.of(folded)
    if found.edges < asked.edges:
        raise UnsatisfiableTask("too few edge constraints are active")
    if found.nodes < asked.nodes:
        raise UnsatisfiableTask("the active edge constraints leave a node alone")


@cache
def _ties_asked(domain_name: str, axes: tuple[tuple[str, Value], ...]) -> Ties:
    """Return what `OFTEN` of `PROBES` drafts reach: all there can be, or what a domain declares."""
    domain, reached = find_domain(domain_name), list[Ties]()
    for number in range(PROBES):
        try:
            draft = domain.draft(derive_seed("ties", number), dict(axes))
        except UnsatisfiableTask:
            continue
        reached.append(Ties.of(draft.folded))
        if reached.count(Ties(FEWEST_EDGES, len(domain.slots))) == OFTEN:
            break
    return min(sorted(reached, reverse=True)[:OFTEN], default=Ties(0, 0))


def lacking(
    folded: FoldedGraph, fitting: Mapping[str, int], edge_distractors: int, distractors: int
) -> str | None:
    """Return what a task lacks whose edges tie enough, if anything.

    What no edge ties has solutions alone, so that nothing more can fit.
    """
    if any(fitting[node] < FEWEST_FITTING for node in _tied(folded)):
        return "too few objects fit the wishes of a node"
    types = [folded.types[node.type] for node in folded.graph.nodes]
    possible = sum(prod(len(one.property_values[name]) for name in one.identity) for one in types)
    if edge_distractors < min(LEAST_EDGE_SHARE * distractors, LEAST_POSSIBLE_SHARE * possible):
        return "too few distractors break an edge"
    return None


def check_given_up(
    domain: Domain,
    folded: FoldedGraph,
    objects: Mapping[str, Columns],
    seeds: Sequence[SeedSolution],
) -> None:
    """Refuse objects among which a wish that gives way could be met, or could be met by nothing.

    It must be the bound before which it gives way that stands against it.

    Raises:
        UnsatisfiableTask: a seed meets it, or no combination does that breaks that bound alone.
    """
    bounds = {rule.name: rule.unless for rule in domain.declaration.joint_rules}
    for wish in folded.graph.missed:
        if any(wish.holds({ref: one[ref[0]][ref[1]] for ref in wish.refs}) for one in seeds):
            raise UnsatisfiableTask(f"wish '{wish.name}' is met where it is to give way")
        edges = [edge for edge in folded.edges if edge.name != bounds[wish.name]]
        meeting = {
            node: valid_rows(own, (*folded.node_constraints[node], *_of_node(wish, node)))
            for node, own in objects.items()
        }
        counter = EliminationCounter(folded.graph.node_ids, edges, objects, meeting)
        if not counter.count(meeting):
            raise UnsatisfiableTask(f"wish '{wish.name}' gives way before nothing")


def _of_node(wish: Constraint, node: str) -> tuple[Constraint, ...]:
    return (wish,) if wish.nodes == (node,) else ()


def count_fitting(folded: FoldedGraph, objects: Mapping[str, Columns]) -> dict[str, int]:
    """Return how many objects of each node meet its constraints, folded edges among them."""
    own = folded.node_constraints
    return {node: len(valid_rows(columns, own[node])) for node, columns in objects.items()}


def _tied(folded: FoldedGraph) -> frozenset[str]:
    return frozenset(node for edge in folded.edges for node in edge.nodes)


class TaskOffers(NamedTuple):
    """A task's graph, what can be booked for each node, and which of it meets the wishes."""

    folded: FoldedGraph
    objects: Mapping[str, Columns]
    valid: Rows

    @classmethod
    def of(
        cls, domain: Domain, graph: ConstraintGraph, offered: Mapping[str, Columns]
    ) -> "TaskOffers":
        """Return what the tables of a domain's kinds offer for each node.

        Edges that node constraints decide are left in place: the same combinations meet them all.
        """
        constraints = {node: graph.node_constraints(node) for node in graph.node_ids}
        offers: dict[str, Columns] = {}
        for name, columns in offered.items():
            # Ids are drawn at random: an order that the objects were not made in.
            ids = columns[domain.kinds[name].offer.key]
            offers[name] = {**columns, IDENTITY: np.unique(ids, return_inverse=True)[1]}
        objects = {node.id: offers[node.type] for node in graph.nodes}
        return cls(
            FoldedGraph(graph, {}, constraints, graph.edge_constraints),
            objects,
            {node: valid_rows(own, constraints[node]) for node, own in objects.items()},
        )


def read_offers(
    connection: duckdb.DuckDBPyConnection, domain: Domain, graph: ConstraintGraph, task_id: str
) -> TaskOffers:
    """Return what the tables that a connection sees offer for each node of a task."""
    stored = StoredTask(connection, graph, domain.sources, task_id)
    return TaskOffers.of(domain, graph, stored.offers())


def solved_by(seed: int, offers: TaskOffers) -> tuple[str, ...]:
    """Return the shortcuts that solve a task on its tables; its seed draws the object of one."""
    return find_shortcuts(*offers, derive_array_rng(seed, "any first"))
