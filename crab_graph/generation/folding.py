"""What the objects of each node can be, and which edges say more than that (design §4).

Edges that node constraints already decide become node constraints: where the day of one visit is
fixed, for example, a rule that the next is a week later speaks of the next alone. What is left with
two or more free nodes is an active edge.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraint_graph import Codes, ConstraintGraph, NodeType, TriedConstraint
from crab_graph.generation.constraints import Constraint, Ref, Value
from crab_graph.generation.objects import (
    CodedObjects,
    Columns,
    Mask,
    length,
    profile_columns,
    profiles,
    try_out,
)


class NodeDomain:
    """The objects of one node that satisfy its domain constraints and a set of node constraints.

    `allowed` has the values of each free property that single-property constraints leave.
    """

    def __init__(self, node_id: str, type: NodeType, constraints: Sequence[Constraint]) -> None:
        self.node_id = node_id
        self.type = type
        self.constraints = tuple(constraints)
        self.allowed: dict[str, tuple[Value, ...]] = dict(type.property_values)
        for item in filter(self._narrows, self.constraints):
            ref = item.refs[0]
            kept = tuple(value for value in self.allowed[ref[1]] if item.holds({ref: value}))
            if not kept:
                raise UnsatisfiableTask(
                    f"{node_id}.{ref[1]} has an empty domain after constraint '{item.name}'"
                )
            self.allowed[ref[1]] = kept

    def _narrows(self, constraint: Constraint) -> bool:
        """Whether a constraint does no more than take values from the domain of a property."""
        names = constraint.properties_of(self.node_id)
        return len(names) == 1 and names[0] in self.type.property_values

    def decided(self) -> dict[str, Value]:
        """Return the properties for which one value is left, with that value."""
        free = {name: values[0] for name, values in self.allowed.items() if len(values) == 1}
        derived = {
            name: self.type.derive(name, free)
            for name in self.type.derivations
            if all(item in free for item in self.type.free_inputs(name))
        }
        return {**free, **derived}

    def grid(self, names: Sequence[str]) -> Columns:
        """Return all combinations of what decides some properties, each with these properties."""
        options = {name: self._codes[name] for name in self.type.free_inputs(*names)}
        index = np.indices([len(own) for own in options.values()]).reshape(len(options), -1)
        return self._valid(
            {name: own[place] for (name, own), place in zip(options.items(), index, strict=True)}
        )

    def linked(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Split properties into groups that vary independently of each other."""
        groups: list[tuple[set[str], list[str]]] = []
        ties = [set(item.properties_of(self.type.name)) for item in self.type.domain_constraints]
        ties += [set(item.properties_of(self.node_id)) for item in self.constraints]
        for name in names:
            inputs = set(self.type.free_inputs(name))
            for tie in ties:
                sources = set(self.type.free_inputs(*tie))
                if sources & inputs:
                    inputs |= sources
            members = [name]
            for group in [group for group in groups if group[0] & inputs]:
                groups.remove(group)
                inputs |= group[0]
                members = group[1] + members
            groups.append((inputs, members))
        return [tuple(members) for _, members in groups]

    def columns_of(self, chosen: Sequence[Mapping[str, Value]]) -> Columns:
        """Return the objects with these free properties, but for those that are not valid."""
        codes = CodedObjects.of(self.type, chosen).codes
        allowed = np.ones(len(chosen), dtype=np.bool_)
        for name, own in codes.items():
            allowed &= self._allows[name][own]
        return self._valid({name: own[allowed] for name, own in codes.items()})

    def draw(
        self,
        rng: np.random.RandomState,
        size: int,
        models: Codes | None = None,
        within: Codes | None = None,
        loose: Collection[str] = (),
    ) -> CodedObjects:
        """Draw about `size` objects, uniformly and independently, by rejection.

        Fewer come back where the node's constraints reject most draws; the caller asks again. With
        models, objects take after these in all that the constraints let: a property is drawn anew
        where its value in the model is not allowed, and wherever it decides a negated constraint.
        Objects are parts of the entities that they are to be drawn `within`, and half of them do
        not take after a model in each property that is `loose`.
        """
        parts = rng.randint(0, length(within), size) if within is not None else None
        chosen = rng.randint(0, length(models), size) if models is not None else None
        codes: Codes = {}
        for name, own in self._codes.items():
            if within is not None and name in within:
                codes[name] = within[name][parts]
                continue
            if len(own) == 1:  # takes nothing from the stream
                codes[name] = np.full(size, own[0])
                continue
            drawn = rng.randint(0, len(own), size)
            if models is None or name in self._negated:
                codes[name] = own[drawn]
                continue
            codes[name] = models[name][chosen]
            if name in loose:
                codes[name] = np.where(rng.random_sample(size) < 0.5, own[drawn], codes[name])
            if len(own) < len(self.type.property_values[name]):
                allowed = self._allows[name][codes[name]]
                codes[name] = np.where(allowed, codes[name], own[drawn])
        return self._valid(codes)

    @cached_property
    def _negated(self) -> frozenset[str]:
        """Free properties that decide a constraint which holds where another does not."""
        negated = [item for item in self.constraints if item.is_negation]
        names = [name for item in negated for name in item.properties_of(self.node_id)]
        return frozenset(self.type.free_inputs(*names))

    @cached_property
    def _codes(self) -> Codes:
        """Positions of the allowed values in each property's domain."""
        return {
            name: np.array([values.index(value) for value in self.allowed[name]], dtype=np.int64)
            for name, values in self.type.property_values.items()
        }

    @cached_property
    def _allows(self) -> Mapping[str, Mask]:
        """Which positions in each property's domain are allowed."""
        allows = {}
        for name, own in self._codes.items():
            allows[name] = np.zeros(len(self.type.property_values[name]), dtype=np.bool_)
            allows[name][own] = True
        return allows

    @cached_property
    def _rules(self) -> tuple[TriedConstraint, ...]:
        """What allowed values of all properties still have to satisfy."""
        wishes = (item for item in self.constraints if not self._narrows(item))
        return (*self.type.domain_rules, *(self.type.rule(item) for item in wishes))

    def _valid(self, codes: Codes) -> CodedObjects:
        """Return, of objects with allowed values, those valid by what the given properties tell."""
        objects = CodedObjects(self.type, codes)
        rules = [rule for rule in self._rules if codes.keys() >= set(rule.inputs)]
        if not rules:
            return objects
        keep = np.logical_and.reduce([objects.satisfies(rule) for rule in rules])
        return objects.at(np.flatnonzero(keep))


TAUTOLOGY_LIMIT = 2_000_000
"""Above this many profile combinations an edge counts as active without being tried out."""


@dataclass(frozen=True)
class FoldedGraph:
    """A task graph, as declared, after folding.

    The constraints of each node include folded edges; in the edges left, which are active, decided
    properties are filled in.
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
            return replace(folded, edges=tuple(e for e in edges if _says_anything(e, folded)))
        for edge in unary:
            constraints[edge.nodes[0]] = (*constraints[edge.nodes[0]], edge)


def _says_anything(edge: Constraint, folded: FoldedGraph) -> bool:
    """Whether some combination of node-valid profiles breaks the edge.

    Raises:
        UnsatisfiableTask: a node has no such profile, as what was folded leaves it none.
    """
    shown: dict[str, Columns] = {}
    for node in edge.nodes:
        names = edge.properties_of(node)
        shown[node] = profile_columns(names, profiles(folded.domains[node].grid(names), names))
        if not length(shown[node]):
            raise UnsatisfiableTask(f"node '{node}' has no values that fit its constraints")
    if edge.linear is not None:
        dearest: dict[Ref, Value] = {}
        for (node, name), weight in edge.linear.weights.items():
            values = shown[node][name]
            dearest[(node, name)] = int(values.max() if weight > 0 else values.min())
        return not edge.holds(dearest)
    size = prod(map(length, shown.values()))
    if size > TAUTOLOGY_LIMIT:
        return True
    return not np.all(try_out(edge, shown))
