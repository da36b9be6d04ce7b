"""Concrete objects as columns: what a node's objects are, chosen, joined, grouped and described.

Columns are NumPy arrays of one length, one entry an object: `int64` for numbers, `str` otherwise.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from crab_graph.generation.constraint_graph import Codes, Lookup, NodeType, TriedConstraint
from crab_graph.generation.constraints import Constraint, Value

IntArray = NDArray[np.int64]
Mask = NDArray[np.bool_]
Columns = Mapping[str, NDArray[Any]]

IDENTITY = "identity"
"""Column of a number that two objects of a type share exactly when they are the same offer."""


class CodedObjects(Columns):
    """Objects of one type, as positions of their values in the domains of the free properties.

    A column is looked up when it is asked for: most objects that are drawn are not kept, and of
    those that are, most properties are not looked at before the end. Columns that need other free
    properties than `codes` has are missing.
    """

    def __init__(self, type: NodeType, codes: Codes) -> None:
        self.type = type
        self.codes = codes
        self._columns: dict[str, NDArray[Any]] = {}

    @classmethod
    def of(cls, type: NodeType, chosen: Sequence[Mapping[str, Value]]) -> "CodedObjects":
        """Return objects of a type by their free properties."""
        codes = {
            name: np.array([values.index(item[name]) for item in chosen], dtype=np.int64)
            for name, values in type.property_values.items()
        }
        return cls(type, codes)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._columns:
            if name == IDENTITY:
                number = np.zeros(length(self), dtype=np.int64)
                # What bundles offers stands first: see `bundles.entity_numbers`.
                for free in dict.fromkeys((*self.type.bundle, *self.type.identity)):
                    number = number * len(self.type.property_values[free]) + self.codes[free]
                self._columns[name] = number
            else:
                self._columns[name] = self._looked_up(self.type.lookups[name])
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        for name in (*self.codes, *self.type.derivations):
            if self.codes.keys() >= set(self.type.free_inputs(name)):
                yield name
        if self.codes.keys() >= set(self.type.identity):
            yield IDENTITY

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def at(self, index: NDArray[Any] | slice) -> "CodedObjects":
        """Return the objects at `index`."""
        return CodedObjects(self.type, {name: own[index] for name, own in self.codes.items()})

    def numbers(self, name: str) -> IntArray:
        """Return a number for each object that is the same exactly where a property is."""
        return self._looked_up(self.type.numbering[name])

    def satisfies(self, rule: TriedConstraint) -> Mask:
        """Return which objects satisfy a constraint that reads this type alone."""
        if rule.truth is not None:
            return self._looked_up(Lookup(rule.inputs, rule.truth))
        answer = rule.constraint.evaluate(lambda ref: self[ref[1]])
        return np.broadcast_to(np.asarray(answer, dtype=np.bool_), (length(self),))

    def _looked_up(self, lookup: Lookup) -> NDArray[Any]:
        column: NDArray[Any] = lookup.table[tuple([self.codes[name] for name in lookup.inputs])]
        return column


AnyColumns = TypeVar("AnyColumns", CodedObjects, Columns)


def take(columns: AnyColumns, index: NDArray[Any] | slice) -> AnyColumns:
    """Return the objects at `index` (positions, a mask or a slice)."""
    if isinstance(columns, CodedObjects):
        return columns.at(index)
    return {name: column[index] for name, column in columns.items()}


@overload
def concatenate(parts: Sequence[CodedObjects]) -> CodedObjects: ...


@overload
def concatenate(parts: Sequence[Columns]) -> Columns: ...


def concatenate(parts: Sequence[Columns]) -> Columns:
    """Join columns of the same names end to end."""
    coded = [part for part in parts if isinstance(part, CodedObjects)]
    if len(coded) < len(parts):
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    names = coded[0].codes
    codes = {name: np.concatenate([part.codes[name] for part in coded]) for name in names}
    return CodedObjects(coded[0].type, codes)


def length(columns: Columns) -> int:
    """Return the number of objects."""
    own = columns.codes if isinstance(columns, CodedObjects) else columns
    return len(next(iter(own.values())))


def rows(columns: Columns) -> list[dict[str, Value]]:
    """Return the objects as dictionaries of plain Python values."""
    names = list(columns)
    lists = [columns[name].tolist() for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*lists, strict=True)]


def row(columns: Columns, place: int) -> dict[str, Value]:
    """Return one of the objects as a dictionary of plain Python values."""
    return rows(take(columns, slice(place, place + 1)))[0]


Profile = tuple[Value, ...]
"""Values of some properties that an object shows together."""


def profiles(objects: Columns, names: Sequence[str]) -> list[Profile]:
    """Return the distinct profiles that objects show, in a fixed order."""
    return sorted(set(zip(*(objects[name].tolist() for name in names), strict=True)), key=repr)


def profile_columns(names: Sequence[str], shown: Sequence[Profile]) -> Columns:
    """Return profiles as columns."""
    return {name: np.array([one[place] for one in shown]) for place, name in enumerate(names)}


def try_out(constraint: Constraint, objects: Mapping[str, Columns]) -> Mask:
    """Return a constraint's answer on all combinations, with an axis for the objects of a node."""
    axes = {node: axis for axis, node in enumerate(objects)}

    def value(ref: tuple[str, str]) -> NDArray[Any]:
        shape = [1] * len(axes)
        shape[axes[ref[0]]] = -1
        return objects[ref[0]][ref[1]].reshape(shape)

    answer = np.asarray(constraint.evaluate(value), dtype=np.bool_)
    return np.broadcast_to(answer, [length(own) for own in objects.values()])


def valid_rows(columns: Columns, constraints: Sequence[Constraint]) -> IntArray:
    """Return the positions of the objects that satisfy all of a node's constraints."""
    keep = np.ones(length(columns), dtype=np.bool_)
    for item in constraints:
        keep &= np.asarray(item.evaluate(lambda ref: columns[ref[1]]), dtype=np.bool_)
    return np.flatnonzero(keep).astype(np.int64)


DENSE = 10_000
"""Up to this many possible numbers, and eight for each row, groups are found without sorting."""


class RowGroups(NamedTuple):
    """Rows in groups: the position of some row of each group, and the group of each row."""

    example: IntArray
    of_each: IntArray


def group(columns: Sequence[NDArray[Any]], size: int) -> RowGroups:
    """Group `size` rows that agree in all columns; without any, all rows are one group."""
    numbers = np.zeros(size, dtype=np.int64)
    span = 1
    for column in columns:
        codes = numbered(column)
        low = int(codes.min(initial=0))
        width = int(codes.max(initial=0)) - low + 1
        if span * width >= 2**62:
            numbers, span = np.unique(numbers, return_inverse=True)[1], size
        numbers = numbers * width + (codes - low)
        span *= width
    if span > DENSE + 8 * size:
        numbers = np.unique(numbers, return_inverse=True)[1]
        span = int(numbers.max(initial=0)) + 1
    holders = np.full(span, -1, dtype=np.int64)
    holders[numbers] = np.arange(size)
    places = np.cumsum(holders >= 0) - 1
    return RowGroups(holders[holders >= 0], places[numbers])


def numbered(column: NDArray[Any]) -> IntArray:
    """Return a number for each value, equal ones for equal values."""
    if column.dtype.kind == "i":
        return column
    values = column.tolist()
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return np.array([numbers[value] for value in values], dtype=np.int64)


def numbered_together(name: str, parts: Sequence[Columns]) -> IntArray:
    """Return a number for each object of all parts that is the same exactly where a column is."""
    coded = [part for part in parts if isinstance(part, CodedObjects)]
    if len(coded) == len(parts):
        return np.concatenate([part.numbers(name) for part in coded])
    return numbered(np.concatenate([part[name] for part in parts]))
