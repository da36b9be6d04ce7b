"""Leakage: what public columns tell of whether an offer is part of a solution (design §5).

Features are derived from whatever columns a domain's tables show: numbers as they are, ids and
names by their digits and letters, prices also by their digits, and how an offer stands among the
others: how many share a value with it, and how its price, hour or stock compares with theirs. A
feature's AUC is the chance that it ranks a solution's row above a distractor's: 0.5 tells nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.generation.objects import IntArray, group, numbered

FloatArray = NDArray[np.float64]

FIGURES = 3
"""Last digits of an id or a price that are looked at, one by one."""


class Standing(StrEnum):
    """How an offer's number is seen beside those of the offers that share something with it."""

    RANK = "rank"
    """The share of them below it, ties counting half."""
    RATIO = "ratio"
    """What it is to their median, 1 where that is 0."""
    MEAN = "mean"
    """Their mean, itself among them."""


class Yardstick(NamedTuple):
    """A column, or an earlier yardstick, seen beside the offers that agree in columns `within`.

    Without any of these all offers of the table are looked at.
    """

    standing: Standing
    column: str
    within: Sequence[str]


class Surface(NamedTuple):
    """What the tables of one node type show of an offer: columns of ids, names and prices (cents).

    The SQL is a SELECT with the parameter `$task`: first the offer's id, then public columns, dates
    and truth values as numbers. Shared values of a grouping's columns bundle offers, as in fares.
    Groupings and yardsticks are listed by what their features are called.
    """

    sql: str
    ids: Sequence[str]
    names: Sequence[str] = ()
    prices: Sequence[str] = ()
    groupings: Mapping[str, Sequence[str]] = MappingProxyType({})
    yardsticks: Mapping[str, Yardstick] = MappingProxyType({})


class Meaning(StrEnum):
    """What a feature speaks of."""

    NOTHING = "nothing"
    """Ids, order, names, digits."""
    OFFER = "offer"
    """The offer alone."""
    OTHERS = "others"
    """How it stands among others: by one column, of one provider, by price, hour or stock."""
    ALIKE = "alike"
    """How many others agree with it in several columns."""


class Features(NamedTuple):
    """Features of some offers by name, with values of shape `(offers, features)`."""

    offers: list[str]
    names: list[str]
    meanings: list[Meaning]
    values: FloatArray

    def at(self, places: Sequence[int]) -> "Features":
        """Return the features of the offers at some positions."""
        offers = [self.offers[place] for place in places]
        return self._replace(offers=offers, values=self.values[list(places)])

    def joined(self, more: "Features") -> "Features":
        """Return these and more features of the same offers."""
        values: FloatArray = np.concatenate([self.values, more.values], axis=1)
        names, meanings = self.names + more.names, self.meanings + more.meanings
        return Features(self.offers, names, meanings, values)


_Found = dict[str, tuple[Meaning, Sequence[float] | NDArray[Any]]]
_Table = dict[str, NDArray[Any]]


def derive_features(
    surface: Surface, columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> Features:
    """Return the features of the offers of a task, in the order in which the table holds them."""
    table = _table(columns, rows)
    found: _Found = {"row order": (Meaning.NOTHING, range(len(rows)))}
    for name, values in table.items():
        if name in surface.ids:
            numbers = [int("".join(filter(str.isdigit, value)) or 0) for value in values]
            found[f"{name} order"] = (Meaning.NOTHING, numbers)
            found |= _figures(name, numbers)
        elif name in surface.names:
            found[f"{name} length"] = (Meaning.NOTHING, [len(value) for value in values])
            found[f"{name} first letter"] = (Meaning.NOTHING, [ord(value[0]) for value in values])
        else:
            if values.dtype.kind in "iufb":
                found[name] = (Meaning.OFFER, values)
            if name in surface.prices:
                found |= _figures(name, values.tolist())
    return _joined(rows, found | _standings(surface, table))


def derive_standings(
    surface: Surface, columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> Features:
    """Return how offers stand among each other, of a task's features those that others decide."""
    return _joined(rows, _standings(surface, _table(columns, rows)))


def area_under_curve(solutions: FloatArray, distractors: FloatArray) -> FloatArray:
    """Return each feature's AUC, of `(rows, features)`: P(solution's > distractor's) + P(=) / 2."""
    # Solutions are few, so that comparing every pair is cheaper than ranking.
    above = solutions[:, None, :] > distractors[None, :, :]
    equal = solutions[:, None, :] == distractors[None, :, :]
    result: FloatArray = (above + 0.5 * equal).mean(axis=(0, 1))
    return result


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> _Table:
    return {
        name: np.array(values)
        for name, values in zip(columns, zip(*rows, strict=True), strict=True)
    }


def _joined(rows: Sequence[Sequence[Any]], found: _Found) -> Features:
    values: FloatArray = np.array([own for _, own in found.values()], dtype=np.float64).T
    offers = [str(row[0]) for row in rows]
    return Features(offers, list(found), [meaning for meaning, _ in found.values()], values)


def _figures(name: str, numbers: Sequence[int]) -> _Found:
    return {
        f"{name} digit {place + 1}": (
            Meaning.NOTHING,
            [number // 10**place % 10 for number in numbers],
        )
        for place in range(FIGURES)
    }


def _standings(surface: Surface, table: _Table) -> _Found:
    """Return how many offers share each value and grouping, and how each compares with others."""
    table = {name: numbered(values) for name, values in table.items()}
    plain = [name for name in table if name not in (*surface.ids, *surface.names)]
    groupings = {f"rows per {name}": (name,) for name in plain} | dict(surface.groupings)
    found: _Found = {}
    for title, names in groupings.items():
        places = _groups(table, names)
        meaning = Meaning.ALIKE if len(names) > 1 else Meaning.OTHERS
        found[title] = (meaning, np.bincount(places)[places])
    known = dict(table)
    for title, yardstick in surface.yardsticks.items():
        numbers = known[yardstick.column].astype(np.float64)
        places = _groups(table, yardstick.within)
        known[title] = _STANDINGS[yardstick.standing](numbers, places)
        found[title] = (Meaning.OTHERS, known[title])
    return found


def _groups(table: _Table, names: Sequence[str]) -> IntArray:
    """Return the number of each offer's group, which is that of its values in some columns."""
    size = len(next(iter(table.values())))
    return group([table[name] for name in names], size).of_each


def _ranks(numbers: FloatArray, places: IntArray) -> FloatArray:
    """Return the share of each offer's group that lies below it, ties counting half."""
    values, codes = np.unique(numbers, return_inverse=True)
    # Group by group in ascending order, so that equal ones stand together.
    keys = places * len(values) + codes
    _, ties, held = np.unique(keys, return_inverse=True, return_counts=True)
    sizes = np.bincount(places)
    before = np.cumsum(held) - held
    below = before[ties] - (np.cumsum(sizes) - sizes)[places]
    result: FloatArray = (below + held[ties] / 2) / sizes[places]
    return result


def _ratios(numbers: FloatArray, places: IntArray) -> FloatArray:
    """Return what each number is to the median of its group."""
    order = np.lexsort((numbers, places))
    sizes = np.bincount(places)
    first = np.cumsum(sizes) - sizes
    ordered = numbers[order]
    middle = (ordered[first + (sizes - 1) // 2] + ordered[first + sizes // 2]) / 2
    of_each = middle[places]
    result: FloatArray = np.ones(len(numbers))
    np.divide(numbers, of_each, out=result, where=of_each != 0)
    return result


def _means(numbers: FloatArray, places: IntArray) -> FloatArray:
    """Return the mean of each number's group."""
    result: FloatArray = (np.bincount(places, numbers) / np.bincount(places))[places]
    return result


_STANDINGS: Mapping[Standing, Callable[[FloatArray, IntArray], FloatArray]] = {
    Standing.RANK: _ranks,
    Standing.RATIO: _ratios,
    Standing.MEAN: _means,
}
