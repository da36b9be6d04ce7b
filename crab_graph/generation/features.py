"""Leakage: what public columns tell of whether an offer is part of a solution (design §5).

Features are derived from whatever columns a domain's tables show: numbers as they are, ids and
names by their digits and letters, prices also by their digits, and for every column or grouping how
many rows share the value. A feature's AUC is the chance that it ranks a solution's row above a
distractor's: 0.5 tells nothing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

FIGURES = 3
"""Last digits of an id or a price that are looked at, one by one."""


class Surface(NamedTuple):
    """What the tables of one node type show of an offer: columns of ids, names and prices (cents).

    The SQL is a SELECT with the parameter `$task`: first the offer's id, then public columns, dates
    and truth values as numbers. Shared values of a grouping's columns bundle offers, as in fares.
    """

    sql: str
    ids: Sequence[str]
    names: Sequence[str] = ()
    prices: Sequence[str] = ()
    groupings: Mapping[str, Sequence[str]] | None = None


class Features(NamedTuple):
    """Features of the offers of one table by name, with values of shape `(offers, features)`.

    One that is arbitrary means nothing: ids, order, names, digits.
    """

    offers: list[str]
    names: list[str]
    is_arbitrary: list[bool]
    values: FloatArray


def derive_features(
    surface: Surface, columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> Features:
    """Return the features of the offers of a task, in the order in which the table holds them."""
    table = dict(zip(columns, zip(*rows, strict=True), strict=True))
    found: dict[str, tuple[bool, Sequence[float]]] = {"row order": (True, range(len(rows)))}
    for name, values in table.items():
        if name in surface.ids:
            numbers = [int("".join(filter(str.isdigit, value)) or 0) for value in values]
            found[f"{name} order"] = (True, numbers)
            found.update(_figures(name, numbers))
        elif name in surface.names:
            found[f"{name} length"] = (True, [len(value) for value in values])
            found[f"{name} first letter"] = (True, [ord(value[0]) for value in values])
        else:
            if not isinstance(values[0], str):
                found[name] = (False, values)
            if name in surface.prices:
                found.update(_figures(name, values))
            found[f"rows per {name}"] = (False, _group_sizes(list(values)))
    for name, members in (surface.groupings or {}).items():
        keys = list(zip(*(table[member] for member in members), strict=True))
        found[name] = (False, _group_sizes(keys))
    matrix: FloatArray = np.array([list(own) for _, own in found.values()], dtype=np.float64).T
    offers = [str(row[0]) for row in rows]
    return Features(offers, list(found), [kind for kind, _ in found.values()], matrix)


def area_under_curve(solutions: FloatArray, distractors: FloatArray) -> FloatArray:
    """Return each feature's AUC, of `(rows, features)`: P(solution's > distractor's) + P(=) / 2."""
    # Solutions are few, so that comparing every pair is cheaper than ranking.
    above = solutions[:, None, :] > distractors[None, :, :]
    equal = solutions[:, None, :] == distractors[None, :, :]
    result: FloatArray = (above + 0.5 * equal).mean(axis=(0, 1))
    return result


def _figures(name: str, numbers: Sequence[Any]) -> dict[str, tuple[bool, list[float]]]:
    return {
        f"{name} digit {place + 1}": (True, [int(number) // 10**place % 10 for number in numbers])
        for place in range(FIGURES)
    }


def _group_sizes(keys: Sequence[Any]) -> list[float]:
    counts = Counter(keys)
    return [counts[key] for key in keys]
