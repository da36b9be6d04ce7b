"""The constraint graph of a task: nodes, their possible objects, constraints (section 3.2.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.generation.constraints import Constraint, Value, bounded_sum

Codes = dict[str, NDArray[np.int64]]
"""Objects as positions in the domains of their free properties."""

TRUTH_LIMIT = 100_000
"""Largest product of property domains on which a constraint is tried out beforehand."""


class Property(NamedTuple):
    """A property of a node type with its finite domain."""

    name: str
    values: tuple[Value, ...]


class Derived(NamedTuple):
    """A property that others decide, such as a price that depends on class and level.

    The table has its value for every combination of the inputs, in their order: by these values,
    or, where all inputs are free, as an array with an axis for the domain of each.
    """

    name: str
    inputs: tuple[str, ...]
    table: Mapping[tuple[Value, ...], Value] | NDArray[Any]


class Lookup(NamedTuple):
    """A property as a table over the free properties that decide it.

    The table has an axis for the domain of each input; a free property is its own.
    """

    inputs: tuple[str, ...]
    table: NDArray[Any]

    def along(self, names: Sequence[str]) -> NDArray[Any]:
        """Return the table with an axis for each of some properties, its inputs among them."""
        order = sorted(range(len(self.inputs)), key=lambda axis: names.index(self.inputs[axis]))
        shape = [1] * len(names)
        for axis, name in enumerate(self.inputs):
            shape[names.index(name)] = self.table.shape[axis]
        return self.table.transpose(order).reshape(shape)


class TriedConstraint(NamedTuple):
    """A constraint over properties of one object, and the free properties that decide it.

    `truth` has its answer, with an axis for the domain of each input; none above `TRUTH_LIMIT`.
    """

    constraint: Constraint
    inputs: tuple[str, ...]
    truth: NDArray[np.bool_] | None


@dataclass(frozen=True)
class NodeType:
    """What the objects of a node can be.

    Attributes:
        properties: Free properties; an object is one choice for each.
        domain_constraints: Constraints that hold for every object; their refs name this type as
            node.
        identity: Properties that tell two offers apart; no two objects of a task share all of them.
        bundle: Properties whose shared values make offers parts of one entity, such as the seats
            of a concert; none where each offer stands alone. They tell offers apart as well.
        bundle_size: About how many offers an entity has; as it comes where there is none.
        bundle_limit: How many it has at most.
    """

    name: str
    properties: tuple[Property, ...]
    derived: tuple[Derived, ...]
    domain_constraints: tuple[Constraint, ...]
    identity: tuple[str, ...]
    bundle: tuple[str, ...] = ()
    bundle_size: float | None = None
    bundle_limit: int | None = None

    @cached_property
    def bundle_span(self) -> int:
        """How many different offers an entity could have."""
        own = set(self.identity) - set(self.bundle)
        return prod(len(self.property_values[name]) for name in own)

    @cached_property
    def property_values(self) -> Mapping[str, tuple[Value, ...]]:
        """Domain of each free property by its name."""
        return {item.name: item.values for item in self.properties}

    @cached_property
    def derivations(self) -> Mapping[str, Derived]:
        """Derived properties by name."""
        return {item.name: item for item in self.derived}

    @cached_property
    def lookups(self) -> Mapping[str, Lookup]:
        """Each property as the free properties that decide it and a table of its values."""
        tables = {
            name: Lookup((name,), np.array(values)) for name, values in self.property_values.items()
        }
        for name, item in self.derivations.items():
            if isinstance(item.table, np.ndarray):
                tables[name] = Lookup(item.inputs, item.table)
                continue
            inputs = self.free_inputs(name)
            domains = [self.property_values[free] for free in inputs]
            values = [
                self.derive(name, dict(zip(inputs, key, strict=True))) for key in product(*domains)
            ]
            tables[name] = Lookup(inputs, np.array(values).reshape(list(map(len, domains))))
        return tables

    @cached_property
    def numbering(self) -> Mapping[str, Lookup]:
        """The same with values replaced by their numbers in ascending order."""
        numbered = {}
        for name, (inputs, table) in self.lookups.items():
            numbers = np.unique(table, return_inverse=True)[1].reshape(table.shape)
            numbered[name] = Lookup(inputs, numbers.astype(np.int64))
        return numbered

    @cached_property
    def domain_rules(self) -> tuple[TriedConstraint, ...]:
        """The domain constraints, tried out."""
        return tuple(self.rule(item) for item in self.domain_constraints)

    def rule(self, constraint: Constraint) -> TriedConstraint:
        """Try a constraint over properties of one object on everything these can be."""
        inputs = self.free_inputs(*(name for _, name in constraint.refs))
        sizes = [len(self.property_values[free]) for free in inputs]
        if prod(sizes) > TRUTH_LIMIT:
            return TriedConstraint(constraint, inputs, None)
        answer = constraint.evaluate(lambda ref: self.lookups[ref[1]].along(inputs))
        return TriedConstraint(
            constraint, inputs, np.broadcast_to(np.asarray(answer, dtype=np.bool_), sizes)
        )

    def derive(self, name: str, chosen: Mapping[str, Value]) -> Value:
        """Return the value of a property, given those of the free properties it depends on."""
        if name in chosen:
            return chosen[name]
        item = self.derivations[name]
        if isinstance(item.table, np.ndarray):
            domains = self.property_values
            place = tuple(domains[source].index(chosen[source]) for source in item.inputs)
            found: Value = item.table[place].item()
            return found
        return item.table[tuple(self.derive(source, chosen) for source in item.inputs)]

    def free_inputs(self, *names: str) -> tuple[str, ...]:
        """Names of the free properties that decide some (a free one decides itself)."""
        inputs: dict[str, None] = {}
        for name in names:
            free = name in self.property_values
            own = (name,) if free else self.free_inputs(*self.derivations[name].inputs)
            inputs.update(dict.fromkeys(own))
        return tuple(inputs)


class Node(NamedTuple):
    """One required entity of a task: its id and the name of its node type."""

    id: str
    type: str


@dataclass(frozen=True)
class ConstraintGraph:
    """A task graph G = (N, C): required entities, and constraints over one of them or several.

    `missed` are wishes about one entity that count only where something meets them beside all that
    the graph asks for: here nothing is to, so that no solution does. `rivals` take the place of
    constraints with their names: what then solves costs more than the cheapest solution. `lesser`
    do so, too, and bound a sum below what it may be: nothing solves then.
    """

    nodes: tuple[Node, ...]
    constraints: tuple[Constraint, ...]
    missed: tuple[Constraint, ...] = ()
    rivals: tuple[Constraint, ...] = ()
    lesser: tuple[Constraint, ...] = ()

    @cached_property
    def node_ids(self) -> tuple[str, ...]:
        """Ids of the nodes in declaration order."""
        return tuple(node.id for node in self.nodes)

    @cached_property
    def edge_constraints(self) -> tuple[Constraint, ...]:
        """Constraints that read properties of two or more nodes."""
        return tuple(item for item in self.constraints if len(item.nodes) > 1)

    def node_constraints(self, node_id: str) -> tuple[Constraint, ...]:
        """Constraints that read properties of this node alone."""
        return tuple(item for item in self.constraints if item.nodes == (node_id,))

    def within(self, bound: int, rival: Constraint | None = None) -> "ConstraintGraph":
        """Return the graph under another bound of its sum, and with a rival in its place."""
        made = []
        for item in self.constraints:
            if rival is not None and item.name == rival.name:
                made.append(rival)
            elif item.linear is not None:
                made.append(bounded_sum(item.name, item.linear.weights, bound, item.sentence))
            else:
                made.append(item)
        return ConstraintGraph(self.nodes, tuple(made))

    def instead(self, other: Constraint) -> "ConstraintGraph":
        """Return the graph with another constraint in the place of the one with its name."""
        made = (other if item.name == other.name else item for item in self.constraints)
        return ConstraintGraph(self.nodes, tuple(made))

    def type_of(self, node_id: str) -> str:
        """Name of the node type of a node."""
        return next(node.type for node in self.nodes if node.id == node_id)
