"""Concrete objects as columns: what a node's objects can be, listed, drawn and described by profiles.

Columns are NumPy arrays of one length, one entry an object: `int64` for numbers, `str` otherwise.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraint_graph import NodeType
from crab_graph.generation.constraints import Constraint, Value

Columns = dict[str, NDArray[Any]]
Mask = NDArray[np.bool_]

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
                    f"{self.node_id}.{name} has an empty domain after constraint '{constraint.name}'"
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
        inputs = tuple(
            dict.fromkeys(item for name in names for item in self.type.free_inputs(name))
        )
        columns = self._finish(_grid({item: self.allowed[item] for item in inputs}), only=inputs)
        rows = zip(*(self.column(columns, name).tolist() for name in names), strict=True)
        return sorted(set(rows), key=repr)

    def linked(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Split properties into groups such that properties of different groups vary independently."""
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

    def column(self, columns: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
        """Return a property as a column, deriving it from the free ones where needed."""
        if name in columns:
            return columns[name]
        inputs, table = self.type.lookups[name]
        codes = [_codes(columns[item], self.type.property_values[item]) for item in inputs]
        found: NDArray[Any] = table[tuple(codes)]
        return found

    def satisfies(self, columns: Mapping[str, NDArray[Any]], constraint: Constraint) -> Mask:
        """Return which objects satisfy a constraint that reads this node (or its type) alone."""
        answer = constraint.evaluate(lambda ref: self.column(columns, ref[1]))
        length = len(next(iter(columns.values())))
        return np.broadcast_to(np.asarray(answer, dtype=bool), (length,))

    def _finish(self, columns: Columns, only: Iterable[str] | None = None) -> Columns:
        """Keep the objects that satisfy every constraint whose inputs are among the columns."""
        known = set(columns if only is None else only)
        keep = np.ones(len(next(iter(columns.values()))), dtype=bool)
        for constraint in (*self.type.domain_constraints, *self.constraints):
            inputs = {item for _, name in constraint.refs for item in self.type.free_inputs(name)}
            if inputs <= known:
                keep &= self.satisfies(columns, constraint)
        return {name: column[keep] for name, column in columns.items()}

    def identities(self, columns: Mapping[str, NDArray[Any]]) -> NDArray[np.int64]:
        """Return a number for each object that differs from those of objects with another identity."""
        number = np.zeros(length(columns), dtype=np.int64)
        for name in self.type.identity:
            values = self.type.property_values[name]
            number = number * len(values) + _codes(columns[name], values)
        return number

    def complete(self, columns: Columns) -> Columns:
        """Add the derived properties to columns of free ones."""
        return {**columns, **{name: self.column(columns, name) for name in self.type.derivations}}

    def list_objects(self, pinned: Mapping[str, Value] | None = None) -> Columns:
        """List every object, with some properties pinned (SolveNode of paper A.4).

        Args:
            pinned: Values that properties, free or derived, must have.

        Raises:
            UnsatisfiableTask: the product of the domains is larger than `LISTING_LIMIT`.
        """
        pinned = pinned or {}
        domains = {
            name: tuple(v for v in values if v == pinned.get(name, v))
            for name, values in self.allowed.items()
        }
        size = int(np.prod([len(values) for values in domains.values()], dtype=object))
        if size > LISTING_LIMIT:
            raise UnsatisfiableTask(
                f"node '{self.node_id}' has {size:,} combinations, more than the {LISTING_LIMIT:,} "
                "that can be listed; pin more properties"
            )
        columns = self.complete(self._finish(_grid(domains)))
        keep = np.ones(len(next(iter(columns.values()))), dtype=bool)
        for name, value in pinned.items():
            keep &= columns[name] == value
        return {name: column[keep] for name, column in columns.items()}

    def draw(self, rng: np.random.RandomState, size: int) -> Columns:
        """Draw about `size` objects, uniformly and independently, by rejection.

        Fewer come back where the node's constraints reject most draws; the caller asks again.
        """
        columns: Columns = {}
        for name, values in self.allowed.items():
            columns[name] = np.array(values)[rng.randint(0, len(values), size)]
        return self.complete(self._finish(columns))


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


def _grid(domains: Mapping[str, Sequence[Value]]) -> Columns:
    shape = [len(values) for values in domains.values()]
    index = np.indices(shape).reshape(len(shape), -1)
    return {
        name: np.array(values)[codes]
        for (name, values), codes in zip(domains.items(), index, strict=True)
    }


def _codes(column: NDArray[Any], values: Sequence[Value]) -> NDArray[np.intp]:
    """Return the position of each entry in a property's domain."""
    domain = np.array(values)
    order = np.argsort(domain, kind="stable")
    found: NDArray[np.intp] = order[np.searchsorted(domain[order], column)]
    return found
