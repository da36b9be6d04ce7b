"""From objects to tables (paper A.5): seats are bundled into flights and rooms into hotels.

The tables carry no trace of what an object was made for; that is returned apart, as provenance.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import itemgetter
from random import Random
from typing import Any, NamedTuple

from crab_graph.dates import iso_date
from crab_graph.domains.domain import Inventory
from crab_graph.domains.travel.market import FLIGHT_KEY, HOTEL_KEY
from crab_graph.domains.travel.names import CITIES, attraction_names, hotel_names
from crab_graph.generation.objects import rows
from crab_graph.generation.population import Population
from crab_graph.randomness import derive_rng
from crab_graph.tools.tables import Row

Tables = dict[str, list[Row]]

_iso_date = lru_cache(maxsize=256)(iso_date)
"""A task has thousands of offers on a dozen days."""


def materialize(population: Population, seed: int) -> Inventory:
    """Turn objects into rows of the entity tables.

    Ids are drawn at random and rows ordered by id, so neither tells what an object was made for.
    """
    tables: Tables = {"airports": _airports()}
    ids = {
        "flight": _flights(population, tables, derive_rng(seed, "flight ids")),
        "hotel": _hotels(population, tables, derive_rng(seed, "hotel ids")),
        "attraction": _attractions(population, tables, derive_rng(seed, "attraction ids")),
    }
    return Inventory(tables, ids)


def _airports() -> list[Row]:
    return [
        {"airport_code": city.code, "city": name, "name": city.airport}
        for name, city in CITIES.items()
    ]


def _flights(population: Population, tables: Tables, rng: Random) -> list[str]:
    objects = rows(population.objects["flight"])
    flights = grouped(objects, FLIGHT_KEY, drawn_ids(rng, "FL", 5))
    fare_ids = drawn_ids(rng, "FA", 5)
    tables["flights"] = _sorted_rows(
        {
            "flight_id": flight_id,
            "carrier": item["carrier"],
            "origin": item["origin"],
            "destination": item["destination"],
            "departure_date": iso_date(item["date"]),
            "departure_minute": item["departure"],
            "arrival_minute": item["arrival"],
            "time_of_day": item["time_of_day"],
        }
        for flight_id, item in flights.first.items()
    )
    ids = [next(fare_ids) for _ in objects]
    tables["fares"] = _sorted_rows(
        {
            "fare_id": fare_id,
            "flight_id": flight_id,
            "seat_type": item["seat_type"],
            "seat_position": item["seat_position"],
            "price_cents": item["price"],
            "available": item["available"],
        }
        for fare_id, flight_id, item in zip(ids, flights.ids, objects, strict=True)
    )
    return ids


def _hotels(population: Population, tables: Tables, rng: Random) -> list[str]:
    objects = rows(population.objects["hotel"])
    hotels = grouped(objects, HOTEL_KEY, drawn_ids(rng, "HT", 4))
    names = hotel_names(rng, len(hotels.first))
    room_ids = drawn_ids(rng, "RM", 5)
    tables["hotels"] = _sorted_rows(
        {
            "hotel_id": hotel_id,
            "name": name,
            "city": item["city"],
            "district": item["district"],
            "stars": item["stars"],
        }
        for name, (hotel_id, item) in zip(names, hotels.first.items(), strict=True)
    )
    ids = [next(room_ids) for _ in objects]
    tables["rooms"] = _sorted_rows(
        {
            "room_id": room_id,
            "hotel_id": hotel_id,
            "room_type": item["room_type"],
            "bed_type": item["bed_type"],
            "max_occupancy": item["max_occupancy"],
            "available_from": _iso_date(item["available_from"]),
            "available_until": _iso_date(item["available_until"]),
            "price_cents": item["price"],
        }
        for room_id, hotel_id, item in zip(ids, hotels.ids, objects, strict=True)
    )
    return ids


def _attractions(population: Population, tables: Tables, rng: Random) -> list[str]:
    objects = rows(population.objects["attraction"])
    attraction_ids = drawn_ids(rng, "AT", 5)
    ids = [next(attraction_ids) for _ in objects]
    names = attraction_names(rng, [str(item["category"]) for item in objects])
    tables["attractions"] = _sorted_rows(
        {
            "attraction_id": attraction_id,
            "name": name,
            "city": item["city"],
            "district": item["district"],
            "category": item["category"],
            "date": _iso_date(item["date"]),
            "time_of_day": item["time_of_day"],
            "start_minute": item["start"],
            "end_minute": item["end"],
            "price_cents": item["price"],
            "available": item["available"],
        }
        for attraction_id, name, item in zip(ids, names, objects, strict=True)
    )
    return ids


class Bundles(NamedTuple):
    """Objects bundled into entities: an example of each entity, and each object's entity id."""

    first: dict[str, dict[str, Any]]
    ids: list[str]


def grouped(objects: list[dict[str, Any]], names: tuple[str, ...], fresh: Iterator[str]) -> Bundles:
    """Bundle objects that agree in some properties into entities with fresh ids."""
    ids: dict[tuple[Any, ...], str] = {}
    first: dict[str, dict[str, Any]] = {}
    of_each: list[str] = []
    for item in objects:
        key = tuple(item[name] for name in names)
        if key not in ids:
            ids[key] = next(fresh)
            first[ids[key]] = item
        of_each.append(ids[key])
    return Bundles(first, of_each)


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


def _sorted_rows(items: Iterable[Row]) -> list[Row]:
    rows = list(items)
    key = next(iter(rows[0])) if rows else ""
    return sorted(rows, key=itemgetter(key))
