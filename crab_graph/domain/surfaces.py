"""What the tables show of offers, for the audit of leakage: see `generation.features.Surface`."""

from collections.abc import Iterator
from functools import partial
from itertools import product

from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.declaration import Declaration, Offer
from crab_graph.domain.fields import Clock, Day, Later, Price, Stock
from crab_graph.domain.kind import Kind
from crab_graph.domain.layout import column_of, deciders, field_of, shared_fields
from crab_graph.generation.features import Standing, Surface, Yardstick
from crab_graph.tools.tables import Table

LIKE = "price over the median of its like"
"""A feature: prices beside those of offers that are alike in all that decides a price."""


def surfaces(blueprint: Blueprint) -> dict[str, Surface]:
    """Return what the tables show of the offers of each kind."""
    return {
        name: _surface(blueprint.declaration, blueprint.offers[name], kind)
        for name, kind in blueprint.kinds.items()
    }


def _surface(declaration: Declaration, offer: Offer, kind: Kind) -> Surface:
    tables = dict.fromkeys((kind.offer.name, kind.entity.name))
    joined = f"{kind.offer.name} JOIN {kind.entity.name} USING (task_id, {kind.entity.key})"
    columns = [*_columns(kind.offer), *_columns(kind.entity), *_distances(offer)]
    shown = ", ".join(f'{sql} AS "{name}"' for name, sql in dict.fromkeys(columns))
    return Surface(
        f"SELECT {shown} FROM {joined if len(tables) > 1 else kind.offer.name} "  # noqa: S608
        f"WHERE task_id = $task ORDER BY {kind.offer.name}.rowid",
        ids=tuple(dict.fromkeys((kind.offer.key, kind.entity.key))),
        names=("name",) if kind.named.name_column else (),
        prices=() if kind.is_free else ("price_cents",),
        groupings=_groupings(declaration, offer, kind),
        yardsticks=_yardsticks(declaration, offer, kind),
    )


def _columns(table: Table) -> Iterator[tuple[str, str]]:
    """Yield the columns of a table with their SQL, days as numbers."""
    for name, type_ in table.columns.items():
        is_day = type_ == "DATE"
        yield name, f"date_diff('day', DATE '1970-01-01', {name})::INTEGER" if is_day else name


def _distances(offer: Offer) -> Iterator[tuple[str, str]]:
    """Yield how far a field lies behind another, which the tables hold as two columns."""
    for name, field in offer.fields.items():
        if isinstance(field, Later):
            later, before = column_of(offer, name), column_of(offer, field.after)
            yield f"{name} less {field.after}", f"({later} - {before})::INTEGER"


def _groupings(declaration: Declaration, offer: Offer, kind: Kind) -> dict[str, tuple[str, ...]]:
    """Return columns over which offers are counted, by what that is called.

    These are what offers are part of; what says which ones are meant, with a day and with any other
    field, as searches and their readers narrow them down; and what the offer itself declares.
    """
    groupings: dict[str, tuple[str, ...]] = {}
    if offer.provider is not None:
        groupings[f"{offer.table} per {offer.provider.name}"] = (kind.entity.key,)
    roles, days = _roles(declaration, offer), _days(offer)
    rest = [name for name in offer.fields if name not in (*roles, *days)]
    found = {(*roles, day): "" for day in days}
    for names in [*product(rest), *product(days, rest)]:
        found |= {(*roles, *names): ""} if len(roles) + len(names) > 1 else {}
    found |= {tuple(names): title for title, names in offer.bundles.items()}
    for names, title in found.items():
        columns = tuple(column_of(offer, name) for name in names)
        groupings[title or f"{offer.table} per {' and '.join(names)}"] = columns
    return groupings


def _yardsticks(declaration: Declaration, offer: Offer, kind: Kind) -> dict[str, Yardstick]:
    """Return the numbers by which offers are compared, and with which others.

    Prices with those of offers that are alike in all fields that decide a price; prices, hours and
    what is left also with all that a search finds, of any day and of one, and with what else the
    same provider has.
    """
    of = partial(column_of, offer)
    roles = _roles(declaration, offer)
    searches = {"": roles} | {f" by {day}": (*roles, day) for day in _days(offer)}
    yardsticks: dict[str, Yardstick] = {}
    price = field_of(offer, Price)
    if price is not None:
        like = [name for name in deciders(offer.fields[price]) if name in offer.fields]
        yardsticks[LIKE] = Yardstick(Standing.RATIO, of(price), [*map(of, like)])
        for by, names in searches.items():
            within = [*map(of, dict.fromkeys((*names, *like)))]
            title = f"price among its like in a search{by}"
            yardsticks[title] = Yardstick(Standing.RANK, of(price), within)
    for name, field in offer.fields.items():
        if not isinstance(field, Price | Clock | Stock):
            continue
        for by, names in searches.items():
            title = f"{of(name)} in a search{by}"
            yardsticks[title] = Yardstick(Standing.RANK, of(name), [*map(of, names)])
        if offer.provider is not None and name not in shared_fields(offer):
            whole, own = f"the {offer.provider.name}'s {offer.table}", [kind.entity.key]
            yardsticks[f"{of(name)} among {whole}"] = Yardstick(Standing.RANK, of(name), own)
            mean = LIKE if name == price else of(name)
            yardsticks[f"{mean}, mean of {whole}"] = Yardstick(Standing.MEAN, mean, own)
    return yardsticks


def _roles(declaration: Declaration, offer: Offer) -> tuple[str, ...]:
    """Return the fields that say which offers are meant, for any slot."""
    of_slots = {slot.id: slot for slot in declaration.slots if slot.offer is offer}
    meant = {name for slot in of_slots.values() for name in slot.role}
    for want in declaration.wants:
        if want.role:
            refs = (ref.split(".") for ref in want.on)
            meant |= {name for slot, name in refs if slot in of_slots}
    return tuple(name for name in offer.fields if name in meant)


def _days(offer: Offer) -> tuple[str, ...]:
    return tuple(name for name, field in offer.fields.items() if isinstance(field, Day))
