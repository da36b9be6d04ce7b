"""Concrete objects as columns: what a node's objects can be, listed, drawn and described.

Columns are NumPy arrays of one length, one entry an object: `int64` for numbers, `str` otherwise.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraint_graph import Codes, NodeType
from crab_graph.generation.constraints import Constraint, Value

Columns = dict[str, NDArray[Any]]
Mask = NDArray[np.bool_]

IDENTITY = "identity"
"""Column of a number that two objects of a type share exactly when they are the same offer."""

LISTING_LIMIT = 2_000_000
"""Largest product of property domains that `list_objects` will build."""


class NodeDomain:
    """The objects of one node that satisfy its domain constraints and a set of node constraints.

    Attributes:
        node_id: Id of the node.
        type: Its node type.
        constraints: Node constraints the objects satisfy.
        allowed: Values of each free property that single-property constraints leave.
    """

    def __init__(self, node_id: str, type: NodeType, constraints: Sequence[Constraint]) -> None:
        self.node_id = node_id
        self.type = type
        self.constraints = tuple(constraints)
        self.allowed: dict[str, tuple[Value, ...]] = dict(type.property_values)
        for constraint in self.constraints:
            self._narrow(constraint)

    def _narrow(self, constraint: Constraint) -> None:
        names = constraint.properties_of(self.node_id)
        if len(names) == 1 and names[0] in self.allowed:
            name = names[0]
            kept = tuple(
                value
                for value in self.allowed[name]
                if constraint.holds({(self.node_id, name): value})
            )
            if not kept:
                raise UnsatisfiableTask(
                    f"{self.node_id}.{name} has an empty domain "
                    f"after constraint '{constraint.name}'"
                )
            self.allowed[name] = kept

    def decided(self) -> dict[str, Value]:
        """Return the properties for which one value is left, with that value."""
        free = {name: values[0] for name, values in self.allowed.items() if len(values) == 1}
        derived = {
            name: self.type.derive(name, free)
            for name in self.type.derivations
            if all(item in free for item in self.type.free_inputs(name))
        }
        return {**free, **derived}

    def profiles(self, names: Sequence[str]) -> list[tuple[Value, ...]]:
        """Return the distinct value tuples of some properties that the node's objects can show."""
        inputs = dict.fromkeys(item for name in names for item in self.type.free_inputs(name))
        columns = self._valid(_grid({item: self._codes[item] for item in inputs}))
        rows = zip(*(columns[name].tolist() for name in names), strict=True)
        return sorted(set(rows), key=repr)

    def linked(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Split properties into groups that vary independently of each other."""
        groups: list[tuple[set[str], list[str]]] = []
        ties = [set(item.properties_of(self.type.name)) for item in self.type.domain_constraints]
        ties += [set(item.properties_of(self.node_id)) for item in self.constraints]
        for name in names:
            inputs = set(self.type.free_inputs(name))
            for tie in ties:
                sources = {source for item in tie for source in self.type.free_inputs(item)}
                if sources & inputs:
                    inputs |= sources
            members = [name]
            for group in [group for group in groups if group[0] & inputs]:
                groups.remove(group)
                inputs |= group[0]
                members = group[1] + members
            groups.append((inputs, members))
        return [tuple(members) for _, members in groups]

    def satisfies(self, columns: Mapping[str, NDArray[Any]], constraint: Constraint) -> Mask:
        """Return which objects satisfy a constraint that reads this node (or its type) alone."""
        answer = constraint.evaluate(lambda ref: columns[ref[1]])
        return np.broadcast_to(np.asarray(answer, dtype=bool), (length(columns),))

    def list_objects(self, pinned: Mapping[str, Value] | None = None) -> Columns:
        """List every object, with some properties pinned (SolveNode of paper A.4).

        Args:
            pinned: Values that properties, free or derived, must have.

        Raises:
            UnsatisfiableTask: the product of the domains is larger than `LISTING_LIMIT`.
        """
        pinned = pinned or {}
        codes = {
            name: codes[self._values[name][codes] == pinned[name]] if name in pinned else codes
            for name, codes in self._codes.items()
        }
        size = int(np.prod([len(options) for options in codes.values()], dtype=object))
        if size > LISTING_LIMIT:
            raise UnsatisfiableTask(
                f"node '{self.node_id}' has {size:,} combinations, more than the "
                f"{LISTING_LIMIT:,} that can be listed; pin more properties"
            )
        columns = self._valid(_grid(codes))
        keep = np.ones(length(columns), dtype=bool)
        for name, value in pinned.items():
            keep &= columns[name] == value
        return take(columns, keep)

    def columns_of(self, chosen: Sequence[Mapping[str, Value]]) -> Columns:
        """Return the objects with these free properties, but for those no domain rule admits."""
        return self._valid(
            {
                name: np.array([values.index(item[name]) for item in chosen], dtype=np.int64)
                for name, values in self.type.property_values.items()
            }
        )

    def draw(self, rng: np.random.RandomState, size: int) -> Columns:
        """Draw about `size` objects, uniformly and independently, by rejection.

        Fewer come back where the node's constraints reject most draws; the caller asks again.
        """
        codes = {name: own[rng.randint(0, len(own), size)] for name, own in self._codes.items()}
        return self._valid(codes)

    def draw_like(self, rng: np.random.RandomState, size: int, models: Codes) -> Columns:
        """Draw about `size` objects that take after models in all that the node's constraints let.

        A property is drawn anew where its value in the model is not allowed, and wherever it
        decides a negated constraint.
        """
        chosen = rng.randint(0, length(models), size)
        codes: Codes = {}
        for name, own in self._codes.items():
            drawn = own[rng.randint(0, len(own), size)]
            if name not in self._negated:
                allowed = np.zeros(len(self._values[name]), dtype=np.bool_)
                allowed[own] = True
                borrowed = models[name][chosen]
                drawn = np.where(allowed[borrowed], borrowed, drawn)
            codes[name] = drawn
        return self._valid(codes)

    @cached_property
    def _negated(self) -> frozenset[str]:
        """Free properties that decide a constraint which holds where another does not."""
        return frozenset(
            source
            for item in self.constraints
            if item.is_negation
            for name in item.properties_of(self.node_id)
            for source in self.type.free_inputs(name)
        )

    @cached_property
    def _values(self) -> dict[str, NDArray[Any]]:
        return {name: np.array(values) for name, values in self.type.property_values.items()}

    @cached_property
    def _codes(self) -> dict[str, NDArray[np.int64]]:
        """Positions of the allowed values in each property's domain."""
        return {
            name: np.array([values.index(value) for value in self.allowed[name]], dtype=np.int64)
            for name, values in self.type.property_values.items()
        }

    def _valid(self, codes: Mapping[str, NDArray[np.int64]]) -> Columns:
        """Return the columns that some free properties decide, of the objects that are valid.

        Constraints that read other columns are left aside.
        """
        columns: Columns = {name: self._values[name][own] for name, own in codes.items()}
        for name, (inputs, table) in self.type.lookups.items():
            if codes.keys() >= set(inputs):
                columns[name] = table[tuple(codes[item] for item in inputs)]
        if codes.keys() >= set(self.type.identity):
            number = np.zeros(length(columns), dtype=np.int64)
            for name in self.type.identity:
                number = number * len(self._values[name]) + codes[name]
            columns[IDENTITY] = number
        keep = np.ones(length(columns), dtype=bool)
        for constraint in (*self.type.domain_constraints, *self.constraints):
            if all(name in columns for _, name in constraint.refs):
                keep &= self.satisfies(columns, constraint)
        return take(columns, keep)


def valid_rows(
    columns: Mapping[str, NDArray[Any]], constraints: Sequence[Constraint]
) -> NDArray[np.int64]:
    """Return the positions of the objects that satisfy all of a node's constraints."""
    keep = np.ones(length(columns), dtype=np.bool_)
    for item in constraints:
        keep &= np.asarray(item.evaluate(lambda ref: columns[ref[1]]), dtype=np.bool_)
    return np.flatnonzero(keep).astype(np.int64)


def take(columns: Mapping[str, NDArray[Any]], index: NDArray[Any] | slice) -> Columns:
    """Return the objects at `index` (positions, a mask or a slice)."""
    return {name: column[index] for name, column in columns.items()}


def concatenate(parts: Sequence[Mapping[str, NDArray[Any]]]) -> Columns:
    """Join columns of the same names end to end."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def length(columns: Mapping[str, NDArray[Any]]) -> int:
    """Return the number of objects."""
    return len(next(iter(columns.values())))


def rows(columns: Mapping[str, NDArray[Any]]) -> list[dict[str, Value]]:
    """Return the objects as dictionaries of plain Python values."""
    names = list(columns)
    lists = [columns[name].tolist() for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*lists, strict=True)]


def _grid(codes: Mapping[str, NDArray[np.int64]]) -> dict[str, NDArray[np.int64]]:
    """Return every combination, one entry each."""
    shape = [len(options) for options in codes.values()]
    index = np.indices(shape).reshape(len(shape), -1)
    return {
        name: options[chosen] for (name, options), chosen in zip(codes.items(), index, strict=True)
    }
