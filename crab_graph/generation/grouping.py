"""Grouping rows by what their columns hold: one number a row, alike where all columns are."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

DENSE = 10_000
"""Up to this many possible numbers, and eight for each row, groups are found without sorting."""


class Groups(NamedTuple):
    """Rows in groups.

    Attributes:
        example: Position of some row of each group.
        of_each: The group of each row.
    """

    example: IntArray
    of_each: IntArray


def group(columns: Sequence[NDArray[Any]], size: int) -> Groups:
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


def _dense(numbers: IntArray, span: int) -> Groups:
    holders = np.full(span, -1, dtype=np.int64)
    holders[numbers] = np.arange(len(numbers))
    taken = np.flatnonzero(holders >= 0)
    places = np.empty(span, dtype=np.int64)
    places[taken] = np.arange(len(taken))
    return Groups(holders[taken], places[numbers])


def _sorted(numbers: IntArray) -> Groups:
    order = np.argsort(numbers)
    ascending = numbers[order]
    is_new = np.ones(len(numbers), dtype=np.bool_)
    is_new[1:] = ascending[1:] != ascending[:-1]
    of_each = np.empty(len(numbers), dtype=np.int64)
    of_each[order] = np.cumsum(is_new) - 1
    return Groups(order[is_new], of_each)
