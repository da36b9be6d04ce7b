"""What is wrong with what a domain offers: providers, offers and their fields."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from keyword import iskeyword
from typing import Any

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
from crab_graph.domain.layout import (
    Nature,
    deciders,
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
            and (latest := _latest(offer.fields, name)) >= MINUTES_A_DAY
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
    for other in deciders(field):
        if other not in offer.fields:
            yield f"refers to '{other}', which there is not; it has {listed(offer.fields)}"
    if all(other in offer.fields for other in deciders(field)):
        yield from _OF_TYPE.get(type(field), _nothing)(field, offer.fields, name)


def _nothing(field: Any, fields: Mapping[str, Field], name: str) -> Iterator[str]:
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


def _of_choice(field: Choice, fields: Mapping[str, Field], name: str) -> Iterator[str]:
    yield from _of_values(field.values, (int, str), -(2**31))
    if field.sample is not None and not 1 <= field.sample <= len(field.values):
        yield f"sample {field.sample} is not from 1 to the number of its values"
    for value in field.codes.keys() - set(field.values):
        yield f"codes: {value!r} is none of its values"


def _of_several(field: Several, fields: Mapping[str, Field], name: str) -> Iterator[str]:
    yield from _of_values(field.values, (str,))
    if any("," in str(value) for value in field.values):
        yield "its values must have no comma, for sets are written with commas"
    if not 1 <= field.least <= field.most <= len(field.values):
        yield "it must hold 1 <= least <= most <= the number of its values"


def _of_clock(field: Clock, fields: Mapping[str, Field], name: str) -> Iterator[str]:
    of = fields[field.of]
    if not isinstance(of, Choice):
        yield f"of '{field.of}', which is no Choice"
        return
    if missing := [value for value in of.values if value not in field.hours]:
        yield f"hours: lack {listed(missing)} of '{field.of}'"
    for value, hours in field.hours.items():
        if not _is_span(hours):
            yield f"hours: {value!r} is {hours!r}; give a minute of the day, or the first and last"
            continue
        first, end = (hours, hours + 1) if isinstance(hours, int) else hours
        if not 0 <= first < end <= MINUTES_A_DAY:
            yield f"hours: '{value}' is not within a day, from 0 to {MINUTES_A_DAY}"
    yield from _of_per(field.per, fields)


def _is_span(hours: Any) -> bool:
    if isinstance(hours, int):
        return True
    is_pair = isinstance(hours, tuple | list) and len(hours) == 2
    return is_pair and all(isinstance(one, int) for one in hours)


def _of_later(field: Later, fields: Mapping[str, Field], name: str) -> Iterator[str]:
    order = [*fields]
    if not isinstance(fields[field.after], Day | Clock | Later):
        yield f"after '{field.after}', which is neither a day nor a time of the day"
    elif order.index(field.after) >= order.index(name):
        yield f"stands before '{field.after}', which it lies behind; put it after that"
    if isinstance(field.by, Span):
        yield from _of_per(field.by.per, fields)
        if not 0 <= field.by.low <= field.by.high or field.by.step < 1:
            yield "its span must hold 0 <= low <= high, and a step of 1 or more"
        return
    by = fields[field.by]
    if not isinstance(by, Choice) or any(not isinstance(one, int) or one < 0 for one in by.values):
        yield f"by '{field.by}', which is no Choice of numbers from 0 on"


def _latest(fields: Mapping[str, Field], name: str) -> int:
    """Return the highest number that a time of the day, or what lies behind one, can be."""
    match fields[name]:
        case Clock(hours=hours):
            return max(one if isinstance(one, int) else one[1] - 1 for one in hours.values())
        case Later(after=after, by=Span(high=high)):
            return _latest(fields, after) + high
        case Later(after=after, by=str() as by):
            return _latest(fields, after) + _latest(fields, by)
        case Choice(values=values):
            return max(int(value) for value in values)
    return 0


def _of_per(names: Sequence[str], fields: Mapping[str, Field]) -> Iterator[str]:
    for name in names:
        if not isinstance(fields[name], Choice):
            yield f"per '{name}', which is no Choice"


def _of_price(field: Price, fields: Mapping[str, Field], name: str) -> Iterator[str]:
    for other, amounts in ((field.by, field.base), *field.percent.items()):
        by = fields[other]
        if not isinstance(by, Choice):
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


def _of_stock(field: Stock, fields: Mapping[str, Field], name: str) -> Iterator[str]:
    yield from _of_values(field.values, (int,))


def _of_capacity(field: Capacity, fields: Mapping[str, Field], name: str) -> Iterator[str]:
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
        if field is None:
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
