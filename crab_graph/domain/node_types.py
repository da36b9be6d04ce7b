"""What can exist in the world of one task: node types from the fields of offers (paper A.5).

The request bounds the world: its wishes are among the values that a choice is sampled down to, and
days lie around its window. Everything else is drawn, each field from a stream of its own.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from math import prod
from random import Random
from typing import Any, NamedTuple

from crab_graph.dates import day_number
from crab_graph.domain.declaration import Declaration, Offer
from crab_graph.domain.fields import (
    Capacity,
    Choice,
    Clock,
    Day,
    Field,
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

LEVEL = "price level"
"""The free property that decides, with others, what a unit costs; no field can be called so."""

_LEVELS = tuple(range(12))
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
        if not self._kinds[kind].is_free:
            values[LEVEL] = _LEVELS
        decided: dict[str, _Decided] = {}
        for name, field in offer.fields.items():
            if field not in domains:
                decided[name] = _decide(offer, name, values, decided, seed)
        return NodeType(
            name=kind,
            properties=tuple(Property(*one) for one in values.items()),
            derived=tuple(Derived(name, *own) for name, own in decided.items()),
            domain_constraints=self._rules[kind],
            # What offers are told apart by is all but how many are left.
            identity=tuple(
                name for name in values if not isinstance(offer.fields.get(name), Stock)
            ),
            bundle=self._kinds[kind].bundle,
        )


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
            choices = tuple(values[source] for source in (field.by, *field.percent))
            return _priced(field, choices, stream().randint(*field.season))
    raise TypeError(f"{offer.name}.{name} is free")


def _timetable(
    field: Clock, values: Mapping[str, tuple[Value, ...]], stream: Callable[[], Random]
) -> _Decided:
    hours: Mapping[Any, int | tuple[int, int]] = field.hours
    if all(isinstance(one, int) for one in hours.values()):
        return _Decided((field.of,), {(value,): hours[value] for value in values[field.of]})
    inputs = (*field.per, field.of)
    draw = stream().randrange
    table = {
        key: one if isinstance(one := hours[key[-1]], int) else draw(one[0], one[1], _MINUTES)
        for key in product(*(values[source] for source in inputs))
    }
    return _Decided(inputs, table)


def _distance(
    by: str | Span, values: Mapping[str, tuple[Value, ...]], stream: Callable[[], Random]
) -> _Decided:
    """Return how far something lies behind something else."""
    if isinstance(by, str):
        return _Decided((by,), {(one,): one for one in values[by]})
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


@lru_cache(maxsize=1024)
def _priced(field: Price, choices: tuple[tuple[Value, ...], ...], season: int) -> _Decided:
    """Return the cents of a unit, by what decides its base, its percentages and its level.

    Whole dimes: exact in cents, and no level gives itself away by its digits.
    """
    low, high = field.levels
    scale = 100 ** (len(field.percent) + 1) * 110
    table = {}
    for kind, *more in product(*choices):
        factors = zip(field.percent.values(), more, strict=True)
        amount = field.base[kind] * season * prod(own.get(one, 100) for own, one in factors)
        for level in _LEVELS:
            percent_x11 = low * 11 + (high - low) * level
            table[kind, *more, level] = round(amount * percent_x11 / scale) * 10
    return _Decided((field.by, *field.percent, LEVEL), table)
