"""What free fields decide: times, what lies behind something, prices (paper A.5).

Each is a table over the domains of the free properties that decide it, drawn or computed at once.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from crab_graph.dates import MINUTES_A_DAY, weekday
from crab_graph.domain.declaration import Offer
from crab_graph.domain.fields import LEVEL, Clock, Given, Later, Price, Span
from crab_graph.generation.constraint_graph import Lookup
from crab_graph.generation.constraints import Value
from crab_graph.randomness import derive_array_rng, derive_rng

MINUTES = 5
"""Clock times are whole multiples of so many minutes from the first of their range."""

_Values = Mapping[str, tuple[Value, ...]]


def decide(
    offer: Offer, name: str, values: _Values, decided: Mapping[str, Lookup], seed: int
) -> Lookup:
    """Return a field as decided by free ones, given their values and what was decided before."""
    rng = derive_array_rng(seed, "field", offer.name, name)
    match offer.fields[name]:
        case Clock() as field:
            return _timetable(field, values, rng)
        case Later(after=after, by=by):
            base = decided.get(after) or Lookup((after,), np.array(values[after]))
            return _sum(base, _distance(by, values, rng))
        case Price() as field:
            return _priced(field, values, derive_rng(seed, "season", offer.name, name))
    raise TypeError(f"{offer.name}.{name} is free")


def _timetable(field: Clock, values: _Values, rng: np.random.RandomState) -> Lookup:
    """Return the times that a clock shows; those of different levels are spread over its hours."""
    keys = [*product(*(values[one] for one in field.sources))]
    # What does not exist has some time too.
    spans = np.array([field.of_value(key) or (0, 1) for key in keys])
    sizes = [len(values[one]) for one in field.sources]
    low, high = (Lookup(field.sources, column.reshape(sizes)) for column in spans.T)
    if all(isinstance(one, int) for one in field.hours.values()):
        return low
    names = dict.fromkeys((*field.per, *field.sources))
    inputs = tuple(sorted(names, key=lambda one: one == LEVEL))
    first, end = low.along(inputs), high.along(inputs)
    if field.takes is not None:
        latest = MINUTES_A_DAY - _table(field.takes, values).along(inputs)
        end = np.where(end - first > 1, np.minimum(end, latest), end)
    slots = -((first - end) // MINUTES)
    shape = [len(values[one]) for one in inputs]
    drawn = rng.random_sample(shape)
    if LEVEL not in inputs:
        return Lookup(inputs, first + MINUTES * (drawn * slots).astype(np.int64))
    # Each level has a part of the hours for itself, in random order.
    levels = shape[-1]
    rank = np.argsort(rng.random_sample(shape), axis=-1, kind="stable")
    begin, stop = rank * slots // levels, (rank + 1) * slots // levels
    place = np.minimum(begin + (drawn * (stop - begin)).astype(np.int64), slots - 1)
    return Lookup(inputs, first + MINUTES * place)


def _table(given: Given, values: _Values) -> Lookup:
    """Return a given number over the values that there are; what does not exist has none."""
    sizes = [len(values[one]) for one in given.of]
    keys = product(*(values[one] for one in given.of))
    amounts = np.array([given.amounts.get(key, 0) for key in keys], dtype=np.int64)
    return Lookup(tuple(given.of), amounts.reshape(sizes))


def _distance(by: str | Span | Given, values: _Values, rng: np.random.RandomState) -> Lookup:
    """Return how far something lies behind something else."""
    match by:
        case str():
            return Lookup((by,), np.array(values[by]))
        case Given():
            return _table(by, values)
    steps = (by.high - by.low) // by.step + 1
    drawn = rng.random_sample([len(values[one]) for one in by.per])
    amounts = by.low + by.step * np.asarray(drawn * steps).astype(np.int64)
    return Lookup(tuple(by.per), np.asarray(amounts))


def _sum(first: Lookup, second: Lookup) -> Lookup:
    inputs = tuple(dict.fromkeys((*first.inputs, *second.inputs)))
    return Lookup(inputs, first.along(inputs) + second.along(inputs))


def _priced(field: Price, values: _Values, season: Any) -> Lookup:
    """Return the cents of a unit, by what decides its base, its percentages and its level.

    Whole dimes: exact in cents, and no level gives itself away by its digits.
    """
    of_season = season.randint(*field.season)
    amounts = np.array([field.base[value] * of_season for value in values[field.by]], dtype=float)
    for name, own in field.percent.items():
        amounts = np.multiply.outer(amounts, np.array(_percentages(own, values[name])) / 100)
    low, high = field.levels
    levels = values[LEVEL]
    steps = [low + (high - low) * int(level) / max(1, len(levels) - 1) for level in levels]
    dimes = np.rint(np.multiply.outer(amounts, np.array(steps)) / 1000)
    return Lookup((field.by, *field.percent, LEVEL), dimes.astype(np.int64) * 10)


def _percentages(own: Mapping[Any, int] | Sequence[int], values: Sequence[Value]) -> list[int]:
    if isinstance(own, Mapping):
        return [own.get(value, 100) for value in values]
    return [own[weekday(int(day))] for day in values]
