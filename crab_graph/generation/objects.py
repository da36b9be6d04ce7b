"""Concrete objects as columns: what a node's objects are, chosen, joined, grouped and described.

Columns are NumPy arrays of one length, one entry an object: `int64` for numbers, `str` otherwise.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from crab_graph.generation.constraint_graph import Codes, Lookup, NodeType, Rule
from crab_graph.generation.constraints import Constraint, Ref, Value, equals

IntArray = NDArray[np.int64]

DENSE = 10_000
"""Up to this many possible numbers, and eight for each row, groups are found without sorting."""


class RowGroups(NamedTuple):
    """Rows in groups.

    Attributes:
        example: Position of some row of each group.
        of_each: The group of each row.
    """

    example: IntArray
    of_each: IntArray


def group(columns: Sequence[NDArray[Any]], size: int) -> RowGroups:
    """Group rows that agree in all columns.

    Args:
        columns: The columns; without any, all rows are one group.
        size: Number of rows.
    """
    numbers = np.zeros(size, dtype=np.int64)
    span = 1
    for column in columns:
        codes = numbered(column)
        low = int(codes.min(initial=0))
        width = int(codes.max(initial=0)) - low + 1
        if span * width >= 2**62:
            numbers, span = np.unique(numbers, return_inverse=True)[1], size
        numbers = numbers * width + (codes - low) if span > 1 else codes - low
        span *= width
    return _dense(numbers, span) if span <= DENSE + 8 * size else _sorted(numbers)


def numbered(column: NDArray[Any]) -> IntArray:
    """Return a number for each value, equal ones for equal values."""
    if column.dtype.kind == "i":
        return column
    if column.dtype.kind == "O":
        values = column.tolist()
        numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
        return np.array([numbers[value] for value in values], dtype=np.int64)
    return np.unique(column, return_inverse=True)[1].astype(np.int64)


def _dense(numbers: IntArray, span: int) -> RowGroups:
    holders = np.full(span, -1, dtype=np.int64)
    holders[numbers] = np.arange(len(numbers))
    taken = np.flatnonzero(holders >= 0)
    places = np.empty(span, dtype=np.int64)
    places[taken] = np.arange(len(taken))
    return RowGroups(holders[taken], places[numbers])


def _sorted(numbers: IntArray) -> RowGroups:
    order = np.argsort(numbers)
    ascending = numbers[order]
    is_new = np.ones(len(numbers), dtype=np.bool_)
    is_new[1:] = ascending[1:] != ascending[:-1]
    of_each = np.empty(len(numbers), dtype=np.int64)
    of_each[order] = np.cumsum(is_new) - 1
    return RowGroups(order[is_new], of_each)


Columns = Mapping[str, NDArray[Any]]
Mask = NDArray[np.bool_]

IDENTITY = "identity"
"""Column of a number that two objects of a type share exactly when they are the same offer."""


class CodedObjects(Columns):
    """Objects of one type, as positions of their values in the domains of the free properties.

    A column is looked up when it is asked for: most objects that are drawn are not kept, and of
    those that are, most properties are not looked at before the end.

    Args:
        type: The node type.
        codes: Positions, for all free properties or some; columns that need others are missing.
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
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = (
                self._identity() if name == IDENTITY else self._looked_up(self.type.lookups[name])
            )
        return column

    def __iter__(self) -> Iterator[str]:
        names = [*self.codes, *self.type.derivations]
        yield from (name for name in names if self._is_decided(self.type.free_inputs(name)))
        if self._is_decided(self.type.identity):
            yield IDENTITY

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def size(self) -> int:
        """Number of objects."""
        return len(next(iter(self.codes.values())))

    def at(self, index: NDArray[Any] | slice) -> "CodedObjects":
        """Return the objects at `index`."""
        return CodedObjects(self.type, {name: own[index] for name, own in self.codes.items()})

    def numbers(self, name: str) -> NDArray[np.int64]:
        """Return a number for each object that is the same exactly where a property is."""
        return self._looked_up(self.type.numbering[name])

    def satisfies(self, rule: Rule) -> Mask:
        """Return which objects satisfy a constraint that reads this type alone."""
        if rule.truth is not None:
            return self._looked_up(Lookup(rule.inputs, rule.truth))
        answer = rule.constraint.evaluate(lambda ref: self[ref[1]])
        return np.broadcast_to(np.asarray(answer, dtype=np.bool_), (self.size,))

    def _is_decided(self, names: Sequence[str]) -> bool:
        return all(name in self.codes for name in names)

    def _looked_up(self, lookup: Lookup) -> NDArray[Any]:
        column: NDArray[Any] = lookup.table[tuple([self.codes[name] for name in lookup.inputs])]
        return column

    def _identity(self) -> NDArray[np.int64]:
        number = np.zeros(self.size, dtype=np.int64)
        for name in self.type.identity:
            number *= len(self.type.property_values[name])
            number += self.codes[name]
        return number


def valid_rows(columns: Columns, constraints: Sequence[Constraint]) -> NDArray[np.int64]:
    """Return the positions of the objects that satisfy all of a node's constraints."""
    keep = np.ones(length(columns), dtype=np.bool_)
    for item in constraints:
        keep &= np.asarray(item.evaluate(lambda ref: columns[ref[1]]), dtype=np.bool_)
    return np.flatnonzero(keep).astype(np.int64)


@overload
def take(columns: CodedObjects, index: NDArray[Any] | slice) -> CodedObjects: ...


@overload
def take(columns: Columns, index: NDArray[Any] | slice) -> Columns: ...


def take(columns: Columns, index: NDArray[Any] | slice) -> Columns:
    """Return the objects at `index` (positions, a mask or a slice)."""
    if not isinstance(index, slice) and index.dtype == np.bool_:
        index = np.flatnonzero(index)
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
    if len(coded) == len(parts):
        codes = {
            name: np.concatenate([one.codes[name] for one in coded]) for name in coded[0].codes
        }
        return CodedObjects(coded[0].type, codes)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def length(columns: Columns) -> int:
    """Return the number of objects."""
    if isinstance(columns, CodedObjects):
        return columns.size
    return len(next(iter(columns.values())))


def numbered_together(name: str, parts: Sequence[Columns]) -> NDArray[np.int64]:
    """Return a number for each object of all parts that is the same exactly where a column is."""
    coded = [part for part in parts if isinstance(part, CodedObjects)]
    if len(coded) == len(parts):
        return np.concatenate([part.numbers(name) for part in coded])
    return numbered(np.concatenate([part[name] for part in parts]))


def edge_columns(edge: Constraint, objects: Mapping[str, Columns]) -> dict[Ref, NDArray[Any]]:
    """Return the columns an edge reads; words that need only be alike may come as positions."""
    owners = [objects[node] for node, _ in edge.refs]
    if edge.predicate is equals and len(edge.refs) == 2:
        coded = [owner for owner in owners if isinstance(owner, CodedObjects)]
        domains = {
            owner.type.property_values.get(name)
            for owner, (_, name) in zip(coded, edge.refs, strict=False)
        }
        if len(coded) == 2 and len(domains) == 1 and None not in domains:
            return {ref: own.codes[ref[1]] for own, ref in zip(coded, edge.refs, strict=True)}
    return {ref: owner[ref[1]] for owner, ref in zip(owners, edge.refs, strict=True)}


def rows(columns: Columns) -> list[dict[str, Value]]:
    """Return the objects as dictionaries of plain Python values."""
    names = list(columns)
    lists = [_values(columns, name) for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*lists, strict=True)]


def _values(columns: Columns, name: str) -> list[Value]:
    if isinstance(columns, CodedObjects) and name in columns.codes:
        own = columns.type.property_values[name]
        return [own[code] for code in columns.codes[name].tolist()]
    values: list[Value] = columns[name].tolist()
    return values
