"""From objects to tables (paper A.5): seats are bundled into flights and rooms into hotels.

The tables carry no trace of what an object was made for; that is returned apart, as provenance. A
benchmark loads them in bulk. A.5's initialization actions are four calls that make the same tables:
seats of one service are one `add_flight_with_seats`, rooms follow their `add_hotel` as
`add_room_to_hotel`, and each attraction slot is one `add_attraction`; airports stand there already.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from random import Random
from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domains.domain import Inventory
from crab_graph.domains.kind import Kind
from crab_graph.domains.travel.market import ATTRACTION_HOURS
from crab_graph.domains.travel.names import CITIES, attraction_names, hotel_names
from crab_graph.domains.travel.offers import KINDS
from crab_graph.generation.materialize import InitializationAction, Insertion
from crab_graph.generation.objects import rows
from crab_graph.generation.population import Population
from crab_graph.randomness import derive_rng
from crab_graph.tools.tables import Row, Table

Tables = dict[str, list[Row]]
Objects = Sequence[Mapping[str, Any]]

_NAMES: Mapping[str, Callable[[Random, Objects], Sequence[str]]] = {
    "hotel": lambda rng, hotels: hotel_names(rng, len(hotels)),
    "attraction": lambda rng, visits: attraction_names(
        rng, [str(one["category"]) for one in visits]
    ),
}


def materialize(population: Population, seed: int) -> Inventory:
    """Turn objects into rows of the entity tables.

    Ids are drawn at random and rows ordered by id, so neither tells what an object was made for.
    """
    airports = [
        {"airport_code": city.code, "city": name, "name": city.airport}
        for name, city in CITIES.items()
    ]
    tables: Tables = {"airports": airports}
    ids = {
        name: _fill(kind, rows(population.objects[name]), tables, derive_rng(seed, f"{name} ids"))
        for name, kind in KINDS.items()
    }
    return Inventory(tables, ids)


def _fill(kind: Kind, objects: Objects, tables: Tables, rng: Random) -> list[str]:
    """Add the rows of a kind's objects, and return the id of each object's offer."""
    entity_ids = _entity_ids(kind, objects, drawn_ids(rng, *kind.prefixes[0]))
    first: dict[str, Mapping[str, Any]] = {}
    for entity_id, item in zip(entity_ids, objects, strict=True):
        first.setdefault(entity_id, item)
    key = kind.entity.key
    known = [{key: entity_id} for entity_id in first]
    if kind.name in _NAMES:
        for row, name in zip(known, _NAMES[kind.name](rng, list(first.values())), strict=True):
            row["name"] = name
    tables[kind.entity.name] = _rows(kind, kind.entity, known, list(first.values()))
    if kind.offer is kind.entity:
        return entity_ids
    fresh = drawn_ids(rng, *kind.prefixes[1])
    known = [{kind.offer.key: next(fresh), key: entity_id} for entity_id in entity_ids]
    tables[kind.offer.name] = _rows(kind, kind.offer, known, objects)
    return [row[kind.offer.key] for row in known]


def _entity_ids(kind: Kind, objects: Objects, fresh: Iterator[str]) -> list[str]:
    """Return the id of each object's entity: objects that agree in the bundle share one."""
    if not kind.bundle:
        return [next(fresh) for _ in objects]
    ids: dict[tuple[Any, ...], str] = {}
    shared = itemgetter(*kind.bundle)
    return [ids.get(key) or ids.setdefault(key, next(fresh)) for key in map(shared, objects)]


def _rows(kind: Kind, table: Table, known: Sequence[Row], objects: Objects) -> list[Row]:
    """Return rows of a table, ordered by key, of what is known of them and of the objects."""
    given = known[0].keys() if known else ()
    read = [one for one in kind.readings(table) if one.column not in given]
    filled = (
        row
        | {one.column: iso_date(item[one.name]) if one.is_day else item[one.name] for one in read}
        for row, item in zip(known, objects, strict=True)
    )
    return sorted(filled, key=itemgetter(table.key))


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
    """Yield the calls that fill a task's store, with the ids that the bulk load draws too."""
    tables = materialize(population, seed).tables
    seats: dict[str, list[Row]] = {row["flight_id"]: [] for row in tables["flights"]}
    for fare in tables["fares"]:
        seat = dict(fare)
        seat["count"] = seat.pop("available")
        seats[seat.pop("flight_id")].append(seat)
    for flight in tables["flights"]:
        call = dict(flight)
        call["duration"] = call.pop("arrival_minute") - call["departure_minute"]
        call["seats"] = seats[call["flight_id"]]
        yield InitializationAction("add_flight_with_seats", call)
    for hotel in tables["hotels"]:
        yield InitializationAction("add_hotel", hotel)
    for room in tables["rooms"]:
        call = dict(room)
        call["start_date"] = call.pop("available_from")
        nights = day_number(call.pop("available_until")) - day_number(call["start_date"])
        yield InitializationAction("add_room_to_hotel", {**call, "num_dates": nights})
    for attraction in tables["attractions"]:
        call = dict(attraction)
        call["tickets"] = call.pop("available")
        del call["start_minute"], call["end_minute"]
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


def _add_hotel(call: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
    yield "hotels", dict(call)


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
    "add_hotel": _add_hotel,
    "add_room_to_hotel": _add_room_to_hotel,
    "add_attraction": _add_attraction,
}
"""What each call inserts."""
