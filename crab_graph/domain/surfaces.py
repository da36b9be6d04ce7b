"""What the tables show of offers, for the audit of leakage: see `generation.features.Surface`."""

from collections.abc import Iterator

from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.declaration import Declaration, Offer
from crab_graph.domain.fields import Day, Later
from crab_graph.domain.kind import Kind
from crab_graph.domain.layout import column_of
from crab_graph.generation.features import Surface
from crab_graph.tools.tables import Table


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

    These are what offers are part of; what says which ones are meant, by day; and what the offer
    itself declares.
    """
    groupings: dict[str, tuple[str, ...]] = {}
    if offer.provider is not None:
        groupings[f"{offer.table} per {offer.provider.name}"] = (kind.entity.key,)
    of_slots = {slot.id: slot for slot in declaration.slots if slot.offer is offer}
    meant = {name for slot in of_slots.values() for name in slot.role}
    for want in declaration.wants:
        if want.role:
            refs = (ref.split(".") for ref in want.on)
            meant |= {name for slot, name in refs if slot in of_slots}
    days = [name for name, field in offer.fields.items() if isinstance(field, Day)]
    roles = [name for name in offer.fields if name in meant]
    found = {(*roles, day): f"{offer.table} per {' and '.join((*roles, day))}" for day in days}
    found |= {tuple(names): title for title, names in offer.bundles.items()}
    for names, title in found.items():
        groupings[title] = tuple(column_of(offer, name) for name in names)
    return groupings
