"""Constant folding: edges that node constraints already decide become node constraints (design §4).

With a fixed departure date, for example, the return date is decided and the stay speaks of the
hotel alone. What is left with two or more free nodes is an active edge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraint_graph import ConstraintGraph, NodeType
from crab_graph.generation.constraints import Constraint, Ref, Value
from crab_graph.generation.node_domain import NodeDomain

TAUTOLOGY_LIMIT = 200_000
"""Above this many profile combinations an edge counts as active without being tried out."""


@dataclass(frozen=True)
class FoldedGraph:
    """A task graph after folding.

    Attributes:
        graph: The graph as declared.
        types: Node types by name.
        node_constraints: Constraints of each node, folded edges included.
        edges: Active edge constraints, with decided properties filled in.
    """

    graph: ConstraintGraph
    types: Mapping[str, NodeType]
    node_constraints: Mapping[str, tuple[Constraint, ...]]
    edges: tuple[Constraint, ...]

    @cached_property
    def domains(self) -> Mapping[str, NodeDomain]:
        """The node-valid objects of each node."""
        return {
            node: self.domain(node, self.node_constraints[node]) for node in self.graph.node_ids
        }

    def domain(self, node: str, constraints: Sequence[Constraint]) -> NodeDomain:
        """Return the objects of a node under other constraints than its own."""
        return NodeDomain(node, self.types[self.graph.type_of(node)], constraints)

    def domain_or_none(self, node: str, constraints: Sequence[Constraint]) -> NodeDomain | None:
        """Return the same, or `None` where the constraints leave a property without values."""
        try:
            return self.domain(node, constraints)
        except UnsatisfiableTask:
            return None

    @property
    def active_edges(self) -> tuple[str, ...]:
        """Names of the active edge constraints."""
        return tuple(edge.name for edge in self.edges)

    def edge_properties(self, node: str) -> tuple[str, ...]:
        """Properties of a node that active edges read: its edge profile (paper A.4, Notation)."""
        return tuple(
            dict.fromkeys(name for edge in self.edges for name in edge.properties_of(node))
        )


def fold(graph: ConstraintGraph, types: Mapping[str, NodeType]) -> FoldedGraph:
    """Fold what node constraints decide into the edges, until nothing changes.

    Raises:
        UnsatisfiableTask: a constraint leaves a property without values, or an edge cannot hold.
    """
    constraints = {node: graph.node_constraints(node) for node in graph.node_ids}
    edges = list(graph.edge_constraints)
    while True:
        folded = FoldedGraph(graph, types, dict(constraints), tuple(edges))
        decided: dict[Ref, Value] = {
            (node, name): value
            for node, domain in folded.domains.items()
            for name, value in domain.decided().items()
        }
        fixed = [edge.fix(decided) for edge in edges]
        unary = [edge for edge in fixed if len(edge.nodes) == 1]
        for edge in fixed:
            if not edge.nodes and not edge.holds({}):
                raise UnsatisfiableTask(f"edge constraint '{edge.name}' cannot hold")
        edges = [edge for edge in fixed if len(edge.nodes) > 1]
        if not unary:
            return FoldedGraph(
                graph,
                types,
                dict(constraints),
                tuple(e for e in edges if _says_anything(e, folded)),
            )
        for edge in unary:
            constraints[edge.nodes[0]] = (*constraints[edge.nodes[0]], edge)


def _says_anything(edge: Constraint, folded: FoldedGraph) -> bool:
    """Whether some combination of node-valid profiles breaks the edge."""
    profiles = {
        node: folded.domains[node].profiles(edge.properties_of(node)) for node in edge.nodes
    }
    if edge.linear is not None:
        return not edge.holds(_dearest(edge, profiles))
    size = prod(map(len, profiles.values()))
    if size == 0 or size > TAUTOLOGY_LIMIT:
        return size > 0
    axes: dict[Ref, NDArray[Any]] = {}
    for axis, (node, options) in enumerate(profiles.items()):
        shape = [1] * len(profiles)
        shape[axis] = -1
        for name, values in zip(edge.properties_of(node), zip(*options, strict=True), strict=True):
            axes[(node, name)] = np.array(values).reshape(shape)
    return not np.all(edge.evaluate(axes.__getitem__))


def _dearest(
    edge: Constraint, profiles: Mapping[str, Sequence[tuple[Value, ...]]]
) -> dict[Ref, Value]:
    if edge.linear is None:
        raise ValueError(f"'{edge.name}' is no linear constraint")
    dearest: dict[Ref, Value] = {}
    for (node, name), weight in edge.linear.weights.items():
        position = edge.properties_of(node).index(name)
        values = [int(profile[position]) for profile in profiles[node]]
        dearest[(node, name)] = max(values) if weight > 0 else min(values)
    return dearest
