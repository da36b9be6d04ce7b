"""What is wrong with what a domain offers: providers, offers and their fields."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

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
from crab_graph.domain.field_problems import field_problems, listed, repeated
from crab_graph.domain.fields import LEVEL, Capacity, Choice, Day, Price, Stock
from crab_graph.domain.layout import (
    Nature,
    deciders,
    field_of,
    nature,
    shared_fields,
    tables_of,
)
from crab_graph.domain.naming import parts_of
from crab_graph.tools.tables import PLATFORM_TABLES, PRIVATE_TABLES

PREFIXES = ("BK", "CD", "CU", "HX", "PM", "TX")
"""Prefixes of the engine's own ids."""

_FEWEST_DIGITS = 4


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
    found = [f"{where}, {line}" for line in field_problems(offer)]
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
    for what, amount in (("about", provider.about), ("most", provider.most)):
        if amount is not None and amount < 1:
            yield f"provider '{provider.name}', {what}: {amount} offers; give 1 or more"
    if provider.most is not None and (provider.about or 1) > provider.most:
        yield f"provider '{provider.name}', about: {provider.about} is above its `most`"
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
