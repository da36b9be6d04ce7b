"""From objects to tables (paper A.5): seats are bundled into flights and rooms into hotels.

The tables carry no trace of what an object was made for; that is returned apart, as provenance. A
benchmark loads them in bulk. A.5's initialization actions are four calls that make the same tables:
seats of one service are one `add_flight_with_seats`, rooms follow their `add_hotel` as
`add_room_to_hotel`, and each attraction slot is one `add_attraction`; airports stand there already.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from random import Random
from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domain.contract import Inventory
from crab_graph.domain.kind import Kind, ReadProperty
from crab_graph.domains.travel.market import ATTRACTION_HOURS
from crab_graph.domains.travel.names import CITIES, attraction_names, hotel_names
from crab_graph.domains.travel.offers import KINDS
from crab_graph.generation.materialize import InitializationAction, Insertion
from crab_graph.generation.objects import rows
from crab_graph.generation.population import Population
from crab_graph.randomness import derive_rng
from crab_graph.tools.tables import Row, Table, picked

_NAMES: Mapping[str, Callable[[Random, Sequence[Row]], Sequence[str]]] = {
    "hotel": lambda rng, hotels: hotel_names(rng, len(hotels)),
    "attraction": lambda rng, visits: attraction_names(rng, [one["category"] for one in visits]),
}


def materialize(population: Population, seed: int) -> Inventory:
    """Turn objects into rows of the entity tables.

    Ids are drawn at random and rows ordered by id, so neither tells what an object was made for.
    """
    tables: dict[str, list[Row]] = {
        "airports": [
            {"airport_code": city.code, "city": name, "name": city.airport}
            for name, city in CITIES.items()
        ]
    }
    ids = {}
    for name, kind in KINDS.items():
        offers = _offers(kind, population, seed)
        for table in (kind.entity, kind.offer):
            tables[table.name] = _rows(kind, table, offers)
        ids[name] = [offer[kind.offer.key] for offer in offers]
    return Inventory(tables, ids)


def _offers(kind: Kind, population: Population, seed: int) -> list[Row]:
    """Return a kind's objects with the ids of their entities and offers, and the entities' names.

    Objects that agree in what the kind bundles by share an entity.
    """
    objects = rows(population.objects[kind.name])
    rng = derive_rng(seed, f"{kind.name} ids")
    fresh = drawn_ids(rng, *kind.prefixes[0])
    ids: Mapping[Any, str] = defaultdict(lambda: next(fresh))
    shared = itemgetter(*kind.bundle) if kind.bundle else id
    entity_ids = [ids[shared(item)] for item in objects]
    entities = dict(zip(entity_ids, objects, strict=True))
    names: Mapping[str, str] = {}
    if kind.name in _NAMES:
        names = dict(zip(entities, _NAMES[kind.name](rng, list(entities.values())), strict=True))
    offer_ids = entity_ids
    if kind.offer is not kind.entity:
        offer_ids = list(islice(drawn_ids(rng, *kind.prefixes[1]), len(objects)))
    return [
        item | {kind.entity.key: own, kind.offer.key: offer, "name": names.get(own)}
        for item, own, offer in zip(objects, entity_ids, offer_ids, strict=True)
    ]


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
    """Yield distinct ids, drawn at random."""
    low = 10 ** (digits - 1)
    drawn: set[int] = set()
    # What `randrange` does, without its look at the arguments, which takes longer than the draw.
    width = 9 * low
    bits = width.bit_length()
    while True:
        number = rng.getrandbits(bits)
        if number < width and number not in drawn:
            drawn.add(number)
            yield f"{prefix}-{low + number}"


def initialization_actions(population: Population, seed: int) -> Iterator[InitializationAction]:
    """Yield the calls that fill a task's store, of the objects and ids that the bulk load has too.

    What stands in a row is said here and below anew, so that each way proves the other.
    """
    flights, hotels, attractions = (_offers(kind, population, seed) for kind in KINDS.values())
    seats: dict[str, list[Row]] = {}
    for offer in flights:
        sold = {"count": offer["available"], "price_cents": offer["price"]}
        seat = picked(offer, "fare_id", "seat_type", "seat_position")
        seats.setdefault(offer["flight_id"], []).append(seat | sold)
    for offer in {offer["flight_id"]: offer for offer in flights}.values():
        call = picked(offer, "flight_id", "carrier", "origin", "destination", "time_of_day")
        call["departure_date"] = iso_date(offer["date"])
        call["departure_minute"] = offer["departure"]
        call["duration"] = offer["arrival"] - offer["departure"]
        call["seats"] = seats[offer["flight_id"]]
        yield InitializationAction("add_flight_with_seats", call)
    for offer in {offer["hotel_id"]: offer for offer in hotels}.values():
        call = picked(offer, "hotel_id", "name", "city", "district", "stars")
        yield InitializationAction("add_hotel", call)
    for offer in hotels:
        call = picked(offer, "hotel_id", "room_id", "room_type", "bed_type", "max_occupancy")
        call |= {"num_dates": offer["nights_open"], "price_cents": offer["price"]}
        call["start_date"] = iso_date(offer["available_from"])
        yield InitializationAction("add_room_to_hotel", call)
    for offer in attractions:
        place = picked(offer, "attraction_id", "name", "city", "district")
        call = place | picked(offer, "category", "time_of_day")
        call |= {"tickets": offer["available"], "price_cents": offer["price"]}
        call["date"] = iso_date(offer["date"])
        yield InitializationAction("add_attraction", call)


def _add_flight_with_seats(call: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
    row = dict(call)
    seats = row.pop("seats")
    row["arrival_minute"] = row["departure_minute"] + row.pop("duration")
    yield "flights", row
    for seat in seats:
        fare = {"flight_id": row["flight_id"], **seat}
        fare["available"] = fare.pop("count")
        yield "fares", fare


def _add_room_to_hotel(call: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
    row = dict(call)
    start, nights = row.pop("start_date"), row.pop("num_dates")
    row["available_from"] = start
    row["available_until"] = iso_date(day_number(start) + nights)
    yield "rooms", row


def _add_attraction(call: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
    row = dict(call)
    row["start_minute"], row["end_minute"] = ATTRACTION_HOURS[row["time_of_day"]]
    row["available"] = row.pop("tickets")
    yield "attractions", row


INSERTIONS: Mapping[str, Insertion] = {
    "add_flight_with_seats": _add_flight_with_seats,
    "add_hotel": lambda call: iter([("hotels", dict(call))]),
    "add_room_to_hotel": _add_room_to_hotel,
    "add_attraction": _add_attraction,
}
"""What each call inserts."""
