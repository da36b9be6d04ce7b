"""From objects to tables (paper A.5): offers are bundled into what they are part of.

The tables carry no trace of what an object was made for; that is returned apart, as provenance. A
benchmark loads them in bulk. A.5's initialization actions are calls that make the same tables: of
each provider and of each of its offers, or of a provider with all of its offers.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from random import Random
from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.contract import Inventory
from crab_graph.domain.declaration import Names, Offer
from crab_graph.domain.fields import Later
from crab_graph.domain.kind import Kind, ReadProperty
from crab_graph.domain.layout import Nature, column_of, nature, shared_fields
from crab_graph.domain.naming import draw_names
from crab_graph.errors import UsageError
from crab_graph.generation.materialize import InitializationAction, Insertion
from crab_graph.generation.objects import rows
from crab_graph.generation.population import Population
from crab_graph.randomness import derive_rng
from crab_graph.tools.tables import Row, Table, picked


def materialize(blueprint: Blueprint, population: Population, seed: int) -> Inventory:
    """Turn objects into rows of the tables of what can be booked.

    Ids are drawn at random and rows ordered by id, so neither tells what an object was made for.
    """
    directories = blueprint.declaration.directories
    tables = {one.name: [dict(row) for row in one.rows] for one in directories}
    ids = {}
    for name, kind in blueprint.kinds.items():
        offers = _offers(blueprint, name, population, seed)
        for table in (kind.entity, kind.offer):
            tables[table.name] = _rows(kind, table, offers)
        ids[name] = [offer[kind.offer.key] for offer in offers]
    return Inventory(tables, ids)


def _offers(blueprint: Blueprint, name: str, population: Population, seed: int) -> list[Row]:
    """Return a kind's objects with the ids of their entities and offers, and the entities' names.

    Objects that agree in what the kind bundles by share an entity.
    """
    kind, names = blueprint.kinds[name], _names_of(blueprint.offers[name])
    objects = rows(population.objects[name])
    rng = derive_rng(seed, f"{name} ids")
    fresh = drawn_ids(rng, *kind.prefixes[0])
    ids: Mapping[Any, str] = defaultdict(lambda: next(fresh))
    shared = itemgetter(*kind.bundle) if kind.bundle else id
    entity_ids = [ids[shared(item)] for item in objects]
    named: Mapping[str, str] = {}
    if names is not None:
        entities = dict(zip(entity_ids, objects, strict=True))
        named = dict(zip(entities, draw_names(names, rng, [*entities.values()]), strict=True))
    offer_ids = entity_ids
    if kind.offer is not kind.entity:
        offer_ids = list(islice(drawn_ids(rng, *kind.prefixes[1]), len(objects)))
    return [
        item | {kind.entity.key: own, kind.offer.key: offer, "name": named.get(own)}
        for item, own, offer in zip(objects, entity_ids, offer_ids, strict=True)
    ]


def _names_of(offer: Offer) -> Names | None:
    return offer.names if offer.provider is None else offer.provider.names


def _rows(kind: Kind, table: Table, offers: Sequence[Row]) -> list[Row]:
    read = [*kind.readings(table)]
    if "name" in table.columns:
        read.append(ReadProperty("name", "name", is_day=False))
    of_key = {offer[table.key]: offer for offer in offers}
    return [
        {one.column: iso_date(own[one.name]) if one.is_day else own[one.name] for one in read}
        for _, own in sorted(of_key.items())
    ]


def drawn_ids(rng: Random, prefix: str, digits: int) -> Iterator[str]:
    """Yield distinct ids, drawn at random.

    Raises:
        UsageError: more are asked for than there are.
    """
    low = 10 ** (digits - 1)
    drawn: set[int] = set()
    # What `randrange` does, without its look at the arguments, which takes longer than the draw.
    width = 9 * low
    bits = width.bit_length()
    while len(drawn) < width:
        number = rng.getrandbits(bits)
        if number < width and number not in drawn:
            drawn.add(number)
            yield f"{prefix}-{low + number}"
    raise UsageError(
        f"the ids '{prefix}-…' of {digits} digits are used up; give them more `digits`"
    )


def initialization_actions(
    blueprint: Blueprint, population: Population, seed: int
) -> Iterator[InitializationAction]:
    """Yield the calls that fill a task's store, of the objects and ids that the bulk load has too.

    What lies behind something else is told as the distance, so that each way proves the other.
    """
    for name, offer in blueprint.offers.items():
        kind = blueprint.kinds[name]
        parts: dict[str, list[Row]] = {}
        entities = {}
        for item in _offers(blueprint, name, population, seed):
            key = item[kind.entity.key]
            entities[key] = item
            told = picked(item, *dict.fromkeys((kind.offer.key, kind.entity.key)))
            parts.setdefault(key, []).append(told | _told(offer, _own_fields(offer), item))
        first, *more = _calls(offer)
        for key, item in entities.items():
            named = {} if _names_of(offer) is None else picked(item, "name")
            if offer.provider is None:
                yield InitializationAction(first, parts[key][0] | named)
                continue
            call = picked(item, kind.entity.key) | named
            call |= _told(offer, shared_fields(offer), item)
            yield InitializationAction(first, call if more else call | {offer.table: parts[key]})
            for part in parts[key] if more else ():
                yield InitializationAction(more[0], part)


def insertions(blueprint: Blueprint) -> dict[str, Insertion]:
    """Return what each initialization action inserts, by its name."""
    made: dict[str, Insertion] = {}
    for name, offer in blueprint.offers.items():
        first, *more = _calls(offer)
        made[first] = _inserting(blueprint.kinds[name], offer, is_part=offer.provider is None)
        for call in more:
            made[call] = _inserting(blueprint.kinds[name], offer, is_part=True)
    return made


def _calls(offer: Offer) -> Sequence[str]:
    """Return the names of the calls that add what is booked and, if apart, what is sold of it."""
    own = [] if offer.provider is None else [f"add_{offer.provider.name}"]
    return offer.adds or (*own, f"add_{offer.name}")


def _own_fields(offer: Offer) -> tuple[str, ...]:
    """Return the fields that stand in the table of the offers themselves."""
    if offer.provider is None:
        return tuple(offer.fields)
    shared = shared_fields(offer)
    return tuple(name for name in offer.fields if name not in shared)


def _told(offer: Offer, names: Sequence[str], item: Row) -> Row:
    """Return what a call says of some fields, by their names."""
    told: Row = {}
    for name in names:
        field = offer.fields[name]
        if isinstance(field, Later) and field.after in names:
            if field.by not in names:
                told[f"{name}_later"] = item[name] - item[field.after]
        else:
            is_day = nature(offer, name) is Nature.DAY
            told[name] = iso_date(item[name]) if is_day else item[name]
    return told


def _inserting(kind: Kind, offer: Offer, *, is_part: bool) -> Insertion:
    """Return how a call is inserted that adds an offer, or what offers are part of."""

    def insert(call: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
        table = kind.offer if is_part else kind.entity
        names = _own_fields(offer) if is_part else shared_fields(offer)
        row = {name: value for name, value in call.items() if name in table.columns}
        yield table.name, row | {column_of(offer, name): _said(offer, name, call) for name in names}
        for part in call.get(offer.table, ()):
            yield from _inserting(kind, offer, is_part=True)(part)

    return insert


def _said(offer: Offer, name: str, call: Mapping[str, Any]) -> Any:
    """Return the value of a field as its column holds it, of what a call says."""
    if name in call:
        return call[name]
    field = offer.fields[name]
    if not isinstance(field, Later):
        raise KeyError(f"the call says no '{name}'")
    behind = call.get(f"{name}_later", call.get(str(field.by)))
    before = _said(offer, field.after, call)
    is_day = nature(offer, name) is Nature.DAY
    return iso_date(day_number(before) + behind) if is_day else before + behind
