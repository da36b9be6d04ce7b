"""From offers to tables and kinds of bookings (paper A.5): which column each field stands in.

A provider's table has the fields that its offers share, and those that these alone decide. Bookings
hold offers in the rows of a table `booked_<offers>`.
"""

from collections.abc import Iterator
from enum import StrEnum

from crab_graph.domain.declaration import Count, Declaration, Each, Offer, Stay
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
    root,
)
from crab_graph.domain.kind import Kind
from crab_graph.tools.tables import PLATFORM_TABLES, PRIVATE_TABLES, Table

ITEM_KEY = "item_key"
"""The key of every table of what bookings hold."""


class Nature(StrEnum):
    """What the engine value of a field is: a string, or a number and what it is a number of."""

    TEXT = "text"
    SET = "set"
    NUMBER = "number"
    DAY = "day"
    MINUTE = "minute"
    MONEY = "money"


_SQL_TYPES = {
    Nature.TEXT: "VARCHAR",
    Nature.SET: "VARCHAR",
    Nature.NUMBER: "INTEGER",
    Nature.DAY: "DATE",
    Nature.MINUTE: "INTEGER",
    Nature.MONEY: "BIGINT",
}


def nature(offer: Offer, name: str) -> Nature:
    """Return what the value of a field is; one behind another is of that one's nature."""
    match root(offer.fields, name):
        case Choice(values=values):
            return Nature.TEXT if isinstance(values[0], str) else Nature.NUMBER
        case Several():
            return Nature.SET
        case Day():
            return Nature.DAY
        case Clock():
            return Nature.MINUTE
        case Price():
            return Nature.MONEY
    return Nature.NUMBER


def deciders(field: Field) -> tuple[str, ...]:
    """Return the fields that decide a field, and `LEVEL` of a time; none decide one that is free.

    A price is decided by its level as well, which is no field.
    """
    match field:
        case Clock():
            return (*field.per, *field.sources, *(field.takes.of if field.takes else ()))
        case Later(by=Span() as span):
            return (field.after, *span.per)
        case Later(by=Given() as given):
            return (field.after, *given.of)
        case Later(by=str() as by):
            return (field.after, by)
        case Price():
            return (field.by, *field.percent)
    return ()


def shared_fields(offer: Offer) -> tuple[str, ...]:
    """Return the fields that stand in the table of what is booked, in order.

    These are all of them where the offer is sold as it stands.
    """
    if offer.provider is None:
        return tuple(offer.fields)
    shared = set(offer.provider.shares)
    found = True
    while found:
        decided = {
            name
            for name, field in offer.fields.items()
            if isinstance(field, Clock | Later) and shared.issuperset(deciders(field))
        }
        found = not decided <= shared
        shared |= decided
    return tuple(name for name in offer.fields if name in shared)


def column_of(offer: Offer, name: str) -> str:
    """Return the column of a field."""
    match offer.fields[name]:
        case Price():
            return "price_cents"
        case Stock():
            return "available"
        case field:
            return field.column or name


def field_of(offer: Offer, type_: type[Field]) -> str | None:
    """Return the name of the first field of a type, if there is one."""
    return next((name for name, one in offer.fields.items() if isinstance(one, type_)), None)


def counts_people(declaration: Declaration, offer: Offer) -> bool:
    """Whether the capacity of an offer is a number of people: it is booked whole, for all of them.

    Elsewhere it is the number of units that one booking can hold.
    """
    whole = not isinstance(offer.holds, Each | Count)
    return whole and declaration.people is not None and field_of(offer, Capacity) is not None


def people_column(declaration: Declaration, offer: Offer) -> str | None:
    """Return the column and argument with the number of people, where bookings of it have one."""
    held = offer.holds
    return held.people if isinstance(held, Stay) and declaration.people is not None else None


def tables_of(declaration: Declaration) -> tuple[Table, ...]:
    """Return all tables of a domain, the platform's and the private ones first."""
    own = [table for offer in declaration.offers for table in _tables(declaration, offer)]
    return (
        *PLATFORM_TABLES,
        *PRIVATE_TABLES,
        *(one.table for one in declaration.directories),
        *own,
    )


def kinds_of(declaration: Declaration) -> dict[str, Kind]:
    """Return the kinds of bookings by name, without their tools."""
    return {offer.booked_as: _kind(declaration, offer) for offer in declaration.offers}


def _tables(declaration: Declaration, offer: Offer) -> Iterator[Table]:
    """Yield the tables of an offer: its provider's, if it has one, its own, and of its items."""
    shared = shared_fields(offer)
    own: dict[str, str] = {offer.key: "VARCHAR"}
    provider = offer.provider
    if provider is not None:
        columns = {provider.key: "VARCHAR", **_name_column(provider.names is not None)}
        yield Table(provider.table, provider.key, columns | _columns(offer, shared))
        own[provider.key] = "VARCHAR"
        own |= _columns(offer, tuple(name for name in offer.fields if name not in shared))
    else:
        own |= _name_column(offer.names is not None) | _columns(offer, shared)
    yield Table(offer.table, offer.key, own)
    items = {**dict.fromkeys((ITEM_KEY, "booking_id", offer.key), "VARCHAR")}
    yield Table(f"booked_{offer.table}", ITEM_KEY, items | _held_columns(declaration, offer))


def _name_column(is_named: bool) -> dict[str, str]:
    return {"name": "VARCHAR"} if is_named else {}


def _columns(offer: Offer, names: tuple[str, ...]) -> dict[str, str]:
    return {column_of(offer, name): _SQL_TYPES[nature(offer, name)] for name in names}


def _held_columns(declaration: Declaration, offer: Offer) -> dict[str, str]:
    held = offer.holds
    match held:
        case Each():
            return {held.name: "VARCHAR", held.birth_date: "DATE"}
        case Count():
            return {held.argument: "INTEGER"}
        case Stay():
            days = dict.fromkeys((held.first, held.last), "DATE")
            people = people_column(declaration, offer)
            return days if people is None else {**days, people: "INTEGER"}
    return {}


def _kind(declaration: Declaration, offer: Offer) -> Kind:
    *_, own, items = tables = [*_tables(declaration, offer)]
    provider, held = offer.provider, offer.holds
    capacity = field_of(offer, Capacity)
    named = ((column_of(offer, name), name) for name in offer.fields)
    prefixes = [] if provider is None else [(provider.prefix, provider.digits)]
    free = [name for name, field in offer.fields.items() if not deciders(field)]
    return Kind(
        offer.booked_as,
        unit=offer.unit,
        count=offer.units,
        entity=tables[0],
        offer=own,
        items=items.name,
        renamed={column: name for column, name in named if column != name},
        bundle=(
            ()
            if provider is None
            else tuple(one for one in (*free, LEVEL) if one in provider.shares)
        ),
        prefixes=(*prefixes, (offer.prefix, offer.digits)),
        quantity=held.argument if isinstance(held, Count) else None,
        interval=(held.first, held.last) if isinstance(held, Stay) else None,
        places=(
            column_of(offer, capacity)
            if capacity is not None and counts_people(declaration, offer)
            else None
        ),
        people=(held.name, held.birth_date) if isinstance(held, Each) else None,
        price=offer.cost,
    )
