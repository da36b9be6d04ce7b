"""What is wrong with what a domain offers: providers, offers and their fields."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from keyword import iskeyword
from types import SimpleNamespace
from typing import Any

import numpy as np

from crab_graph.dates import MINUTES_A_DAY
from crab_graph.domain.declaration import (
    Count,
    Declaration,
    Each,
    Names,
    Offer,
    Provider,
    Single,
    Stay,
)
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
from crab_graph.domain.layout import (
    Nature,
    deciders,
    field_of,
    nature,
    shared_fields,
    tables_of,
)
from crab_graph.domain.naming import parts_of
from crab_graph.domain.verification import BOOKED_PLACES, BOOKED_UNITS, IS_ONE_OFFER, TOTAL
from crab_graph.tools.tables import PLATFORM_TABLES, PRIVATE_TABLES

RESERVED = frozenset(
    {TOTAL, IS_ONE_OFFER, BOOKED_UNITS, BOOKED_PLACES, "name", "task_id", "booking_id"}
)
"""Properties that an offer or a booking has beside its fields, and columns of every table."""

PREFIXES = ("BK", "CD", "CU", "HX", "PM", "TX")
"""Prefixes of the engine's own ids."""

_FEWEST_DIGITS = 4


def repeated(items: Iterable[str]) -> list[str]:
    """Return what stands more than once."""
    return [item for item, times in Counter(items).items() if times > 1]


def listed(known: Iterable[Any]) -> str:
    """Return what there is, for who named something else."""
    return ", ".join(map(str, known)) or "none"


def offer_problems(declaration: Declaration) -> Iterator[str]:
    """Yield what is wrong with offers by themselves, and with all of them together."""
    offers = declaration.offers
    for slot in declaration.slots:
        if not any(slot.offer is offer for offer in offers):
            yield (
                f"slot '{slot.id}': another offer is booked as '{slot.kind}' too; give one of them "
                "a `kind` of its own"
            )
    providers = [offer.provider for offer in offers if offer.provider is not None]
    owners: list[Offer | Provider] = [*offers, *providers]
    for name in repeated(one.name for one in providers):
        yield f"provider '{name}' has two offers; give each offer a provider of its own"
    for prefix in repeated(one.prefix for one in owners):
        yield f"the prefix '{prefix}' stands for two kinds of ids; choose another for one of them"
    found = [line for offer in offers for line in _of_offer(offer, declaration)]
    found += _of_directories(declaration)
    yield from found
    if not found:
        yield from _of_tables(declaration)


def _of_directories(declaration: Declaration) -> Iterator[str]:
    for one in declaration.directories:
        alike = {tuple((name, type(value)) for name, value in row.items()) for row in one.rows}
        types = {type_ for columns in alike for _, type_ in columns}
        if not one.name.isidentifier():
            yield f"directory '{one.name}': it is a table; use letters, digits and _"
        if len(alike) != 1 or not types or not types <= {str, int}:
            yield f"directory '{one.name}': its rows must have the same columns, texts or integers"


def _of_tables(declaration: Declaration) -> Iterator[str]:
    tables = tables_of(declaration)
    own = len(PLATFORM_TABLES) + len(PRIVATE_TABLES)
    for name in repeated(table.name for table in tables):
        yield f"two tables are called '{name}'; give an offer or provider another `plural`"
    for table in tables[own + len(declaration.directories) :]:
        keys = {one.key for one in tables} & table.columns.keys()
        for offer in declaration.offers:
            if table.name in (offer.table, offer.provider.table if offer.provider else ""):
                for name in keys & offer.fields.keys():
                    yield (
                        f"offer '{offer.name}', field '{name}': this is the id of a table; "
                        "call the field otherwise"
                    )


def _of_offer(offer: Offer, declaration: Declaration) -> Iterator[str]:
    where = f"offer '{offer.name}'"
    yield from _of_noun("offer", offer)
    if offer.kind and not offer.kind.isidentifier():
        yield f"{where}, kind '{offer.kind}': tools are named after it; use letters, digits and _"
    if offer.provider is not None:
        yield from _of_noun("provider", offer.provider)
    found = [
        f"{where}, field '{name}': {line}"
        for name in offer.fields
        for line in _of_field(offer, name)
    ]
    if not found:
        found = [
            f"{where}, field '{name}': can be later than a day, minute {latest}; shorten it"
            for name in offer.fields
            if nature(offer, name) is Nature.MINUTE
            and (latest := _latest(offer, name)) >= MINUTES_A_DAY
        ]
    # What is said of fields can be looked at where these can be.
    yield from found or _of_whole(offer, declaration, where)


def _of_whole(offer: Offer, declaration: Declaration, where: str) -> Iterator[str]:
    for type_ in (Price, Stock, Capacity):
        if sum(isinstance(field, type_) for field in offer.fields.values()) > 1:
            yield f"{where}: has two fields that are {type_.__name__}; keep one"
    if any(isinstance(one, Day) for one in offer.fields.values()) and declaration.window is None:
        yield f"{where}: has a day, but the domain has no `window` to say which days there are"
    if offer.provider is not None:
        yield from _of_shares(offer, offer.provider)
        if offer.names is not None:
            yield f"{where}, names: it has a provider, whose names these are; move them there"
    named = offer.provider.names if offer.provider is not None else offer.names
    if named is not None:
        yield from (f"{where}, names: {line}" for line in _of_names(offer, named))
    yield from (f"{where}, holds: {line}" for line in _of_holding(offer, declaration))
    yield from (f"{where}, tools: {line}" for line in _of_tools(offer))
    for name in offer.incidental:
        if name not in offer.fields or deciders(offer.fields[name]):
            yield f"{where}, incidental: '{name}' is no field that nothing else decides"
    for title, names in offer.bundles.items():
        for name in set(names) - offer.fields.keys():
            yield f"{where}, bundles '{title}': there is no field '{name}'"
    most = 1 if offer.provider is None else 2
    if len(offer.adds) > most:
        yield f"{where}, adds: names {len(offer.adds)} calls; {most} at most"


def _of_noun(what: str, one: Offer | Provider) -> Iterator[str]:
    if not one.name.isidentifier():
        yield f"{what} '{one.name}': its name makes a table and an id; use letters, digits and _"
    if not (one.prefix.isalpha() and one.prefix.isupper()):
        yield f"{what} '{one.name}', prefix '{one.prefix}': use capital letters, such as 'DR'"
    if one.prefix in PREFIXES:
        yield f"{what} '{one.name}', prefix '{one.prefix}': it is the engine's; choose another"
    if one.digits < _FEWEST_DIGITS:
        yield f"{what} '{one.name}', digits: {one.digits} are too few; use {_FEWEST_DIGITS} or more"


def _of_field(offer: Offer, name: str) -> Iterator[str]:
    field = offer.fields[name]
    if not isinstance(field, Field):
        yield f"is {field!r}, no field; use Choice, Several, Day, Clock, Later, Price, Stock, …"
        return
    if not name.isidentifier() or iskeyword(name) or name in RESERVED:
        yield "its name is taken or no identifier; choose another"
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
    price = offer.fields.get("price")
    most = max((amount for amount in field.takes.amounts.values()), default=0) if field.takes else 0
    for value, hours in field.hours.items():
        if not isinstance(hours, int) and _is_span(hours):
            end = min(hours[1], MINUTES_A_DAY - most)
            needed = price.steps if LEVEL in field.per and isinstance(price, Price) else 1
            if -((hours[0] - end) // MINUTES) < needed:
                yield (
                    f"hours: {value!r} has no {needed} times, in steps of {MINUTES}, from which "
                    "it ends on the same day; widen it"
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


def _of_shares(offer: Offer, provider: Provider) -> Iterator[str]:
    where = f"provider '{provider.name}', shares"
    for name in provider.shares:
        field = offer.fields.get(name)
        if name == LEVEL:
            if field_of(offer, Price) is None:
                yield f"{where}: '{LEVEL}' is of a Price, which '{offer.name}' has none of"
        elif field is None:
            yield f"{where}: '{offer.name}' has no field '{name}'; it has {listed(offer.fields)}"
        elif isinstance(field, Price | Stock):
            yield f"{where}: '{name}' is each offer's own; leave it out"
        elif not set(provider.shares).issuperset(deciders(field)):
            others = listed(deciders(field))
            yield f"{where}: '{name}' is decided by what is not shared; share {others} as well"
    if all(deciders(offer.fields[name]) for name in provider.shares if name in offer.fields):
        yield f"{where}: nothing free; share what makes offers parts of one {provider.name}"


def _of_names(offer: Offer, names: Names) -> Iterator[str]:
    own = offer.names is names
    known = (*names.lists, "person", "family")
    for part in parts_of(names):
        if part not in known:
            yield f"pattern: there is no list '{part}'; there are {listed(known)}"
    if not parts_of(names):
        yield f"pattern '{names.pattern}': names no list, so that all names are one"
    by = None if names.by is None else offer.fields.get(names.by)
    values: Collection[Any] = by.values if isinstance(by, Choice) else ()
    if names.by is not None and (by is None or not values):
        yield f"by '{names.by}', which is no Choice of the offer"
    elif names.by is not None and not own and names.by not in shared_fields(offer):
        yield f"by '{names.by}', which the provider does not share"
    for part, words in names.lists.items():
        lists = words.items() if isinstance(words, Mapping) else [("", words)]
        if isinstance(words, Mapping):
            for value in set(map(str, values)) - words.keys():
                yield f"list '{part}': lacks words for '{value}'"
        for value, own_words in lists:
            if twice := repeated(own_words):
                yield f"list '{part}' {value}: has {listed(twice)} twice; keep one".replace(
                    "  ", " "
                )


def _of_holding(offer: Offer, declaration: Declaration) -> Iterator[str]:
    held = offer.holds
    if not isinstance(held, Single | Count | Each | Stay):
        yield f"is {held!r}; give Single(), Count(), Each() or Stay(…)"
    if isinstance(held, Each) and declaration.people is None:
        yield "Each is for one person each, but the domain declares no `people`"
    if not isinstance(held, Stay):
        return
    if offer.units is None:
        yield "a Stay has as many units as days; name the want that says how many in `units`"
    if any(isinstance(field, Stock) for field in offer.fields.values()):
        yield "what is held by the day has no Stock; leave it out"
    for what, name in (("opens", held.opens), ("closes", held.closes)):
        if name not in offer.fields:
            yield f"{what} '{name}' is no field; it has {listed(offer.fields)}"
        elif nature(offer, name) is not Nature.DAY:
            yield f"{what} '{name}' is no day"


def _of_tools(offer: Offer) -> Iterator[str]:
    tools = offer.tools
    lists = (("needs", tools.needs), ("filters", tools.filters or ()), ("shows", tools.shows or ()))
    for what, names in lists:
        for name in names:
            if name not in offer.fields:
                yield f"{what} '{name}' is no field; it has {listed(offer.fields)}"
    for one in set(tools.extended) - {"cancel", "change"}:
        yield f"extended '{one}' is neither `cancel` nor `change`"
