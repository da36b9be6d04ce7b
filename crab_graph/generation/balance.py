"""Choosing node distractors so that no group of offers is set apart by its size.

The exact test leaves few edge distractors around a solution: by its doctor, on its day, at its
price. How many rows share a value is public, so node distractors, which are harmless wherever they
stand, fill the small groups first.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.generation.objects import Columns, IntArray, group, length, numbered_together

SWEEPS = 12
"""Rounds of proportional fitting; the margins are then met to a few percent."""

LEAST = 1e-6
"""Weight of a candidate that no margin wants."""


class Levels(NamedTuple):
    """A grouping of a node's objects by shared values of properties, and what there is to level.

    Objects `present` already count towards their groups; only groups of `known` ones are levelled.
    """

    names: tuple[str, ...]
    present: Columns
    known: Columns


_Floats = NDArray[np.float64]


class _Margin(NamedTuple):
    """Each candidate's group, how many are wanted of each, and 1 for each without a candidate."""

    groups: IntArray
    wanted: _Floats
    empty: _Floats


def _margin(groups: IntArray, wanted: _Floats) -> _Margin:
    held = np.bincount(groups, minlength=len(wanted))
    return _Margin(groups, wanted, (held == 0).astype(np.float64))


def choose_balanced(
    candidates: Columns,
    made_for: Sequence[str],
    shares: Mapping[str, int],
    levels: Sequence[Levels],
    wanted: int,
    rng: np.random.RandomState,
) -> IntArray:
    """Return the positions of `wanted` candidates that level the sizes of groups.

    Candidates, of which there are more, are weighted by iterative proportional fitting and drawn
    with these weights. For each, `made_for` names the constraint it breaks; `shares` says how many
    are wanted of each constraint, in proportion.
    """
    places = {name: place for place, name in enumerate(dict.fromkeys(made_for))}
    kinds = np.array([places[name] for name in made_for], dtype=np.int64)
    asked = np.array([shares[name] for name in places], dtype=np.float64)
    margins = [_margin(kinds, asked * wanted / _total(asked))]
    weights = _fitted(np.ones(len(made_for)), margins)
    margins += [_levelled(candidates, one, weights, wanted) for one in levels]
    chances = _fitted(weights, margins)
    for _ in range(SWEEPS):
        # Where the margins ask for more than there is, the rest makes up for it.
        chances = np.minimum(chances * (wanted / _total(chances)), 1.0)
    # Drawn systematically, without replacement, each is as likely as its weight says.
    order = rng.permutation(len(chances))
    steps = np.cumsum(chances[order])
    marks = (np.arange(wanted) + rng.random_sample()) * (steps[-1] / wanted)
    hit = np.zeros(len(order), dtype=np.bool_)
    hit[np.searchsorted(steps, marks).clip(max=len(order) - 1)] = True
    rest = np.flatnonzero(~hit)[: wanted - int(hit.sum())]
    hit[rest] = True
    return np.sort(order[hit]).astype(np.int64)


def _levelled(candidates: Columns, level: Levels, weights: _Floats, wanted: int) -> _Margin:
    """Return the margin that fills the smallest groups first, as many in all as there would be."""
    parts = (level.present, level.known, candidates)
    size = sum(map(length, parts))
    found = group([numbered_together(name, parts) for name in level.names], size)
    groups, count = found.of_each, len(found.example)
    held = np.bincount(groups[: length(level.present)], minlength=count)
    asked = np.bincount(groups[: -len(weights)], minlength=count) > 0
    own = groups[-len(weights) :]
    amount = _total(weights[asked[own]]) / _total(weights) * wanted
    # Groups without a candidate cannot be filled, and all others together get the rest.
    filled = np.flatnonzero(asked & (np.bincount(own, minlength=count) > 0))
    position = np.full(count, len(filled))
    position[filled] = np.arange(len(filled))
    # The amount is poured in: the lowest fill up first, to a level that rests on what it covers.
    before = held[filled].astype(np.float64)
    order = np.sort(before)
    heights = (amount + np.cumsum(order)) / np.arange(1, len(order) + 1)
    covered = np.flatnonzero(heights <= np.append(order[1:], np.inf))
    poured = np.maximum((heights[covered[0]] if len(covered) else 0.0) - before, 0.0)
    return _margin(position[own], np.append(poured, wanted - amount))


def _fitted(weights: _Floats, margins: Sequence[_Margin]) -> _Floats:
    """Return weights whose sums over groups come near what every margin wants."""
    for _ in range(SWEEPS):
        for groups, wanted, empty in margins:
            # No weight is zero, so only the sum of an empty group is.
            sums = np.bincount(groups, weights, len(wanted)) + empty
            weights = weights * (wanted / sums)[groups]
            # No candidate is taken twice, and none is ruled out for good.
            np.maximum(weights, LEAST, out=weights)
            np.minimum(weights, 1.0, out=weights)
    return weights


def _total(weights: _Floats) -> float:
    """Add up in order: NumPy's own sum depends on what the processor can add at once."""
    return float(np.cumsum(weights)[-1]) if len(weights) else 0.0
