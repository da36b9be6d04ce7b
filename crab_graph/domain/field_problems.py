"""What is wrong with single fields of offers: their values, hours, prices and what decides them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from keyword import iskeyword
from types import SimpleNamespace
from typing import Any

import numpy as np

from crab_graph.dates import MINUTES_A_DAY
from crab_graph.domain.declaration import Offer
from crab_graph.domain.derivations import MINUTES
from crab_graph.domain.fields import (
    LEVEL,
    Capacity,
    Choice,
    Clock,
    Day,
    Field,
    Given,
    Later,
    Minutes,
    Price,
    Several,
    Span,
    Stock,
)
from crab_graph.domain.layout import Nature, column_of, deciders, field_of, nature
from crab_graph.domain.showing import BEFORE_FEES
from crab_graph.domain.sql_words import SQL_WORDS
from crab_graph.domain.verification import BOOKED_PLACES, BOOKED_UNITS, IS_ONE_OFFER, TOTAL
from crab_graph.generation.objects import IDENTITY

RESERVED = frozenset(
    {
        *(TOTAL, IS_ONE_OFFER, BOOKED_UNITS, BOOKED_PLACES, BEFORE_FEES, IDENTITY),
        *("name", "task_id", "booking_id"),
    }
)
"""Properties that an offer or a booking has beside its fields, and columns of every table."""


def repeated(items: Iterable[str]) -> list[str]:
    """Return what stands more than once."""
    return [item for item, times in Counter(items).items() if times > 1]


def listed(known: Iterable[Any]) -> str:
    """Return what there is, for who named something else."""
    return ", ".join(map(str, known)) or "none"


def field_problems(offer: Offer) -> Iterator[str]:
    """Yield what is wrong with the fields of an offer, each by its name."""
    found = [f"field '{name}': {line}" for name in offer.fields for line in _of_field(offer, name)]
    if not found:
        found = [
            f"field '{name}': can be later than a day, minute {latest}; shorten it"
            for name in offer.fields
            if nature(offer, name) is Nature.MINUTE
            and (latest := _latest(offer, name)) >= MINUTES_A_DAY
        ]
    yield from found


def _of_field(offer: Offer, name: str) -> Iterator[str]:
    field = offer.fields[name]
    if not isinstance(field, Field):
        yield f"is {field!r}, no field; use Choice, Several, Day, Clock, Later, Price, Stock, …"
        return
    if not name.isidentifier() or iskeyword(name) or name in RESERVED:
        yield "its name is taken or no identifier; choose another"
    if column_of(offer, name).lower() in SQL_WORDS:
        yield f"its column is a word of SQL; choose another name, such as '{name}_kind'"
    if name == "price" and not isinstance(field, Price):
        yield "is no Price, and called as one; choose another name"
    if isinstance(field, Price) and name != "price":
        yield "a Price is called 'price'; rename it, and say in `shown` what results call it"
    known = {*offer.fields, *([LEVEL] if field_of(offer, Price) else [])}
    for other in deciders(field):
        if other not in known:
            yield f"refers to '{other}', which there is not; it has {listed(offer.fields)}"
    if known.issuperset(deciders(field)):
        yield from _OF_TYPE.get(type(field), _nothing)(field, offer, name)


def _nothing(field: Any, offer: Offer, name: str) -> Iterator[str]:
    yield from ()


def _of_values(values: Sequence[Any], types: tuple[type, ...], least: int = 0) -> Iterator[str]:
    if not values or len(set(values)) < len(values):
        yield "its values must be at least one, and distinct"
    if len({type(value) for value in values} & set(types)) != 1 or any(
        type(value) not in types for value in values
    ):
        yield f"its values must all be {' or all '.join(one.__name__ for one in types)}"
    elif any(isinstance(value, int) and value < least for value in values):
        yield f"its values must be {least} or more"


def _of_choice(field: Choice, offer: Offer, name: str) -> Iterator[str]:
    yield from _of_values(field.values, (int, str), -(2**31))
    if field.sample is not None and not 1 <= field.sample <= len(field.values):
        yield f"sample {field.sample} is not from 1 to the number of its values"
    for value in field.codes.keys() - set(field.values):
        yield f"codes: {value!r} is none of its values"
    for value, hours in field.hours.items():
        if value not in field.values:
            yield f"hours: {value!r} is none of its values"
        if not _is_within_a_day(hours):
            yield f"hours: '{value}' is not within a day, from 0 to {MINUTES_A_DAY}"


def _of_several(field: Several, offer: Offer, name: str) -> Iterator[str]:
    yield from _of_values(field.values, (str,))
    if any("," in str(value) for value in field.values):
        yield "its values must have no comma, for sets are written with commas"
    if not 1 <= field.least <= field.most <= len(field.values):
        yield "it must hold 1 <= least <= most <= the number of its values"


def _of_clock(field: Clock, offer: Offer, name: str) -> Iterator[str]:
    for source in field.sources:
        if not isinstance(offer.fields[source], Choice):
            yield f"of '{source}', which is no Choice"
            return
    combinations = dict.fromkeys(_combinations(offer, field.sources))
    single = isinstance(field.of, str)
    known = {values[0] if single else values: values for values in combinations}
    if missing := [value for value, own in known.items() if field.of_value(own) is None]:
        yield f"hours: lack {listed(missing)} of '{', '.join(field.sources)}'"
    for value, hours in field.hours.items():
        if not _is_span(hours):
            yield f"hours: {value!r} is {hours!r}; give a minute of the day, or the first and last"
        elif not _is_within_a_day(hours):
            yield f"hours: '{value}' is not within a day, from 0 to {MINUTES_A_DAY}"
        else:
            yield from _of_parts(field, offer, value, hours)
    yield from _of_per([one for one in field.per if one != LEVEL], offer)
    if field.takes is not None:
        yield from _of_given(field.takes, offer, "takes")
        if not set(field.takes.of) <= {*field.per, *field.sources}:
            yield "takes: what decides it must be among `of` and `per`"
    yield from _of_room(field, offer)


def _of_room(field: Clock, offer: Offer) -> Iterator[str]:
    """Yield where hours have fewer times than are to differ, or end on another day."""
    price = offer.fields.get("price")
    most = max(field.takes.amounts.values(), default=0) if field.takes else 0
    needed = price.steps if LEVEL in field.per and isinstance(price, Price) else 1
    for value, hours in field.hours.items():
        if isinstance(hours, int) or not _is_span(hours):
            continue
        first, end = hours[0], min(hours[1], MINUTES_A_DAY - most)
        if -((first - end) // MINUTES) < needed:
            yield (
                f"hours: {value!r} has no {needed} times, in steps of {MINUTES} minutes, from "
                "which it ends on the same day; widen it"
            )


def _of_parts(field: Clock, offer: Offer, value: Any, hours: int | Minutes) -> Iterator[str]:
    """Yield where hours lie outside those that a part of the day is declared to have."""
    first, end = (hours, hours + 1) if isinstance(hours, int) else hours
    own = (value,) if isinstance(field.of, str) else value
    for source, part in zip(field.sources, own, strict=True):
        choice = offer.fields[source]
        low, high = getattr(choice, "hours", {}).get(part, (0, MINUTES_A_DAY))
        if not low <= first < end <= high:
            yield f"hours: {value!r} is not within the hours of '{part}', {low} to {high}"


def _combinations(offer: Offer, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the values that some choices have together, but for what can never be."""
    for values in product(*(offer.fields[name].values for name in names)):  # type: ignore[attr-defined]
        one = SimpleNamespace(
            **{name: np.array([value]) for name, value in zip(names, values, strict=True)}
        )
        if not any(_forbids(holds, one) for holds in offer.always.values()):
            yield values


def _forbids(holds: Any, one: SimpleNamespace) -> bool:
    """Whether what holds of every offer says that there is none of some values."""
    try:
        return not np.all(holds(one))
    except (AttributeError, TypeError):
        return False  # it reads other fields, or is refused for what it is


def _is_span(hours: Any) -> bool:
    if isinstance(hours, int):
        return True
    is_pair = isinstance(hours, tuple | list) and len(hours) == 2
    return is_pair and all(isinstance(one, int) for one in hours)


def _is_within_a_day(hours: int | Minutes) -> bool:
    first, end = (hours, hours + 1) if isinstance(hours, int) else hours
    return 0 <= first < end <= MINUTES_A_DAY


def _of_given(given: Given, offer: Offer, what: str) -> Iterator[str]:
    for name in given.of:
        if not isinstance(offer.fields[name], Choice):
            yield f"{what}: of '{name}', which is no Choice"
            return
    missing = [one for one in _combinations(offer, given.of) if one not in given.amounts]
    if missing:
        yield f"{what}: lacks an amount for {listed(missing[:3])} of '{', '.join(given.of)}'"
    if any(not isinstance(one, int) or one < 0 for one in given.amounts.values()):
        yield f"{what}: its amounts must be numbers from 0 on"


def _of_later(field: Later, offer: Offer, name: str) -> Iterator[str]:
    fields = offer.fields
    order = [*fields]
    if not isinstance(fields[field.after], Day | Clock | Later):
        yield f"after '{field.after}', which is neither a day nor a time of the day"
    elif order.index(field.after) >= order.index(name):
        yield f"stands before '{field.after}', which it lies behind; put it after that"
    if isinstance(field.by, Span):
        yield from _of_per(field.by.per, offer)
        if not 0 <= field.by.low <= field.by.high or field.by.step < 1:
            yield "its span must hold 0 <= low <= high, and a step of 1 or more"
        return
    if isinstance(field.by, Given):
        yield from _of_given(field.by, offer, "by")
        return
    by = fields[field.by]
    if not isinstance(by, Choice) or any(not isinstance(one, int) or one < 0 for one in by.values):
        yield f"by '{field.by}', which is no Choice of numbers from 0 on"


def _latest(offer: Offer, name: str) -> int:
    """Return the highest number that a time of the day, or what lies behind one, can be."""
    fields = offer.fields
    match fields[name]:
        case Clock(hours=hours):
            return max(one if isinstance(one, int) else one[1] - 1 for one in hours.values())
        case Later(after=after, by=Span(high=high)):
            return _latest(offer, after) + high
        case Later(after=after, by=Given() as given):
            return _latest_given(offer, after, given)
        case Later(after=after, by=str() as by):
            return _latest(offer, after) + _latest(offer, by)
        case Choice(values=values):
            return max(int(value) for value in values)
    return 0


def _latest_given(offer: Offer, after: str, given: Given) -> int:
    """Return the highest number behind a field by a given amount, which may depend on the same."""
    clock = offer.fields[after]
    if not isinstance(clock, Clock):
        return _latest(offer, after) + max(given.amounts.values(), default=0)
    if clock.takes is given:
        return MINUTES_A_DAY - 1  # so are its times drawn
    names = tuple(dict.fromkeys((*clock.sources, *given.of)))
    latest = 0
    for values in _combinations(offer, names):
        _, end = clock.of_value(values[: len(clock.sources)]) or (0, 1)
        own = tuple(values[names.index(one)] for one in given.of)
        latest = max(latest, end - 1 + given.amounts.get(own, 0))
    return latest


def _of_per(names: Sequence[str], offer: Offer) -> Iterator[str]:
    for name in names:
        if not isinstance(offer.fields[name], Choice):
            yield f"per '{name}', which is no Choice"


def _of_price(field: Price, offer: Offer, name: str) -> Iterator[str]:
    for other, amounts in ((field.by, field.base), *field.percent.items()):
        by = offer.fields[other]
        if not isinstance(amounts, Mapping):
            yield from _of_weekdays(by, amounts, other)
            continue
        if not isinstance(by, Choice | Capacity):
            yield f"by '{other}', which is no Choice"
            continue
        missing = [value for value in by.values if value not in amounts]
        if missing and other == field.by:
            yield f"base: lacks {listed(missing)} of '{other}'"
        for value in amounts.keys() - set(by.values):
            yield f"{value!r} is no value of '{other}'"
        if any(amount <= 0 for amount in amounts.values()):
            yield f"amounts by '{other}' must be above 0"
    for what, (low, high) in (("levels", field.levels), ("season", field.season)):
        if not 0 < low <= high:
            yield f"{what}: ({low}, {high}) must be percentages above 0, the lower one first"
    if field.steps < 1:
        yield f"steps: {field.steps} levels; give one or more"


def _of_weekdays(by: Field, amounts: Sequence[int], other: str) -> Iterator[str]:
    if not isinstance(by, Day):
        yield f"by '{other}': a list of percentages is for the weekdays of a Day"
    if len(amounts) != 7 or any(amount <= 0 for amount in amounts):
        yield f"by '{other}': give seven percentages above 0, Monday's first"


def _of_stock(field: Stock, offer: Offer, name: str) -> Iterator[str]:
    yield from _of_values(field.values, (int,))


def _of_capacity(field: Capacity, offer: Offer, name: str) -> Iterator[str]:
    yield from _of_values(field.values, (int,), 1)


_OF_TYPE: Mapping[type, Any] = {
    Choice: _of_choice,
    Several: _of_several,
    Clock: _of_clock,
    Later: _of_later,
    Price: _of_price,
    Stock: _of_stock,
    Capacity: _of_capacity,
}
