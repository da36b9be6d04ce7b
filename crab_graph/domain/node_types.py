"""What can exist in the world of one task: node types from the fields of offers (paper A.5).

The request bounds the world: its wishes are among the values that a choice is sampled down to, and
days lie around its window. Everything else is drawn, each field from a stream of its own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np

from crab_graph.dates import MINUTES_A_DAY, day_number, weekday
from crab_graph.domain.declaration import Declaration, Offer
from crab_graph.domain.fields import (
    LEVEL,
    Capacity,
    Choice,
    Clock,
    Day,
    Field,
    Given,
    Later,
    Price,
    Several,
    Span,
    Stock,
)
from crab_graph.domain.kind import Kind
from crab_graph.generation.constraint_graph import Derived, NodeType, Property
from crab_graph.generation.constraints import Constraint, Value
from crab_graph.randomness import derive_rng

_MINUTES = 5
"""Clock times are whole multiples of so many minutes from the first of their range."""


class _Decided(NamedTuple):
    """A property that free ones decide: its value for every combination of these."""

    inputs: tuple[str, ...]
    table: Mapping[tuple[Value, ...], Any]


class WorldMaker:
    """Makes the node types of tasks; what is the same in all of them is found once."""

    def __init__(
        self,
        declaration: Declaration,
        kinds: Mapping[str, Kind],
        rules: Mapping[str, tuple[Constraint, ...]],
    ) -> None:
        """Prepare for a declaration, given for each kind what holds of every offer."""
        self._declaration = declaration
        self._offers = {offer.booked_as: offer for offer in declaration.offers}
        self._kinds = kinds
        self._rules = rules
        self._wanted = [*_wanted_choices(declaration)]

    def node_types(self, request: Any, seed: int) -> dict[str, NodeType]:
        """Return what can exist in the world of one task, by kind."""
        domains = self._domains(request, seed)
        return {
            name: self._node_type(name, offer, domains, seed)
            for name, offer in self._offers.items()
        }

    def _domains(self, request: Any, seed: int) -> dict[Field, tuple[Value, ...]]:
        """Return the values of each free field; fields that are the same share them."""
        days = self._days(request)
        domains: dict[Field, tuple[Value, ...]] = {}
        for offer in self._offers.values():
            for name, field in offer.fields.items():
                if isinstance(field, Choice) and field.sample is not None:
                    if field not in domains:
                        stream = derive_rng(seed, "choice", offer.name, name)
                        asked = self._asked(field, request)
                        others = [value for value in field.values if value not in asked]
                        missing = max(min(field.sample - len(asked), len(others)), 0)
                        kept = asked.union(stream.sample(others, missing))
                        domains[field] = tuple(value for value in field.values if value in kept)
                elif isinstance(field, Choice | Stock | Capacity):
                    domains[field] = tuple(field.values)
                elif isinstance(field, Several):
                    domains[field] = field.sets
                elif isinstance(field, Day):
                    domains[field] = days
        return domains

    def _asked(self, field: Field, request: Any) -> set[Value]:
        """Return the values of a field that roles and wishes name."""
        found = {
            getattr(request, key) if key else value
            for one, value, key in self._wanted
            if one is field
        }
        return found - {None}

    def _days(self, request: Any) -> tuple[int, ...]:
        if self._declaration.window is None:
            return ()
        first, last = (
            day_number(day) + sum(_offset(part, request) for part in parts)
            for day, parts in zip(
                (request.first_day, request.last_day), self._declaration.horizon, strict=True
            )
        )
        return tuple(range(first, last + 1))

    def _node_type(
        self,
        kind: str,
        offer: Offer,
        domains: Mapping[Field, tuple[Value, ...]],
        seed: int,
    ) -> NodeType:
        values = {name: domains[own] for name, own in offer.fields.items() if own in domains}
        for price in offer.fields.values():
            if isinstance(price, Price):
                values[LEVEL] = tuple(range(price.steps))
        decided: dict[str, _Decided] = {}
        for name, field in offer.fields.items():
            if field not in domains:
                decided[name] = _decide(offer, name, values, decided, seed)
        return NodeType(
            name=kind,
            properties=tuple(Property(*one) for one in values.items()),
            derived=tuple(Derived(name, *own) for name, own in decided.items()),
            domain_constraints=self._rules[kind],
            identity=_identity(offer, values, self._kinds[kind].bundle),
            bundle=self._kinds[kind].bundle,
            bundle_size=offer.provider.about if offer.provider else None,
            bundle_limit=offer.provider.most if offer.provider else None,
        )


def _identity(offer: Offer, values: Iterable[str], bundle: Sequence[str]) -> tuple[str, ...]:
    """Return what offers are told apart by: all but how many are left, what bundles them first."""
    told = [
        name
        for name in values
        if name not in offer.incidental and not isinstance(offer.fields.get(name), Stock)
    ]
    return tuple(dict.fromkeys((*(name for name in bundle if name in told), *told)))


def _wanted_choices(declaration: Declaration) -> Iterator[tuple[Field, Value, str]]:
    """Yield the fields for which a value is asked for, with the value or the want that says it."""
    for slot in declaration.slots:
        for name, value in slot.role.items():
            yield slot.offer.fields[name], value, ""
    for want in declaration.wants:
        for ref in want.on:
            yield declaration.field_at(ref), "", want.key


def _offset(part: int | str, request: Any) -> int:
    return part if isinstance(part, int) else int(getattr(request, part))


def _decide(
    offer: Offer,
    name: str,
    values: Mapping[str, tuple[Value, ...]],
    decided: Mapping[str, _Decided],
    seed: int,
) -> _Decided:
    """Return a property as decided by free ones, given these and what was decided before."""

    def stream() -> Random:
        return derive_rng(seed, "field", offer.name, name)

    match offer.fields[name]:
        case Clock() as field:
            return _timetable(field, values, stream)
        case Later(after=after, by=by):
            base = decided.get(after) or _Decided((after,), {(day,): day for day in values[after]})
            return _sum(base, _distance(by, values, stream), values)
        case Price() as field:
            return _priced(field, values, stream().randint(*field.season))
    raise TypeError(f"{offer.name}.{name} is free")


def _timetable(
    field: Clock, values: Mapping[str, tuple[Value, ...]], stream: Callable[[], Random]
) -> _Decided:
    sources = field.sources
    spans = {key: field.of_value(key) for key in product(*(values[one] for one in sources))}
    if all(isinstance(one, int) for one in field.hours.values()):
        return _Decided(sources, {key: one[0] if one else 0 for key, one in spans.items()})
    # Levels stand last, so that the times of all levels are drawn together.
    per = [one for one in field.per if one != LEVEL]
    levels = values[LEVEL] if LEVEL in field.per else ()
    inputs = (*per, *sources)
    taken = [inputs.index(one) for one in field.takes.of] if field.takes else []
    rng = stream()
    table: dict[tuple[Value, ...], int] = {}
    for key in product(*(values[one] for one in inputs)):
        # What does not exist has some time too.
        first, end = spans[key[len(per) :]] or (0, 1)
        if field.takes and end - first > 1:
            amount = field.takes.amounts.get(tuple([key[one] for one in taken]), 0)
            end = min(end, MINUTES_A_DAY - amount)
        if not levels:
            table[key] = rng.randrange(first, end, _MINUTES)
            continue
        slots = range(first, end, _MINUTES)
        drawn = rng.sample(slots, len(levels)) if len(slots) > 1 else [first] * len(levels)
        table |= {(*key, level): minute for level, minute in zip(levels, drawn, strict=True)}
    return _Decided((*inputs, LEVEL) if levels else inputs, table)


def _distance(
    by: str | Span | Given, values: Mapping[str, tuple[Value, ...]], stream: Callable[[], Random]
) -> _Decided:
    """Return how far something lies behind something else."""
    if isinstance(by, str):
        return _Decided((by,), {(one,): one for one in values[by]})
    if isinstance(by, Given):
        keys = product(*(values[source] for source in by.of))
        return _Decided(tuple(by.of), {key: by.amounts.get(key, 0) for key in keys})
    draw = stream().randrange
    keys = product(*(values[source] for source in by.per))
    return _Decided(tuple(by.per), {key: draw(by.low, by.high + 1, by.step) for key in keys})


def _sum(first: _Decided, second: _Decided, values: Mapping[str, tuple[Value, ...]]) -> _Decided:
    """Return the sum of two decided numbers, for every combination of what decides them."""
    added = tuple(name for name in second.inputs if name not in first.inputs)
    inputs = (*first.inputs, *added)
    if added == second.inputs:
        more = second.table.items()
        table = {
            (*key, *own): value + amount
            for key, value in first.table.items()
            for own, amount in more
        }
        return _Decided(inputs, table)
    rest = [*product(*(values[name] for name in added))]
    whole = {(*key, *own): value for key, value in first.table.items() for own in rest}
    places = [inputs.index(name) for name in second.inputs]
    amounts = second.table
    table = {
        key: value + amounts[tuple([key[place] for place in places])]
        for key, value in whole.items()
    }
    return _Decided(inputs, table)


def _priced(field: Price, values: Mapping[str, tuple[Value, ...]], season: int) -> _Decided:
    """Return the cents of a unit, by what decides its base, its percentages and its level.

    Whole dimes: exact in cents, and no level gives itself away by its digits.
    """
    amounts = np.array([field.base[value] * season for value in values[field.by]], dtype=np.float64)
    for name, own in field.percent.items():
        shares = [
            own.get(value, 100) if isinstance(own, Mapping) else own[weekday(int(value))]
            for value in values[name]
        ]
        amounts = np.multiply.outer(amounts, np.array(shares) / 100)
    low, high = field.levels
    levels = values[LEVEL]
    steps = [low + (high - low) * level / max(1, len(levels) - 1) for level in map(int, levels)]
    cents = np.rint(np.multiply.outer(amounts, np.array(steps)) / 1000).astype(np.int64) * 10
    inputs = (field.by, *field.percent, LEVEL)
    keys = product(*(values[name] for name in inputs))
    return _Decided(inputs, dict(zip(keys, cents.ravel().tolist(), strict=True)))
