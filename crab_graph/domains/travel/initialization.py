"""The travel domain's initialization actions, after A.5: four calls that fill a booking store.

Seats of one service are bundled into one `add_flight_with_seats`, rooms follow their `add_hotel` as
`add_room_to_hotel`, and each attraction slot is one `add_attraction`. Airports stand in the store
beforehand.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domains.travel.market import ATTRACTION_HOURS, FLIGHT_KEY, HOTEL_KEY
from crab_graph.domains.travel.materialize import drawn_ids, grouped
from crab_graph.domains.travel.names import attraction_names, hotel_names
from crab_graph.generation.materialize import InitializationAction, Insertion
from crab_graph.generation.objects import rows
from crab_graph.generation.population import Population
from crab_graph.randomness import derive_rng
from crab_graph.tools.tables import Row


def initialization_actions(population: Population, seed: int) -> Iterator[InitializationAction]:
    """Yield the calls that fill a task's store, with the ids that the bulk load draws too.

    Args:
        population: The objects of the task.
        seed: Seed of the task.
    """
    yield from _flight_actions(population, derive_rng(seed, "flight ids"))
    yield from _hotel_actions(population, derive_rng(seed, "hotel ids"))
    yield from _attraction_actions(population, derive_rng(seed, "attraction ids"))


def _flight_actions(population: Population, rng: Random) -> Iterator[InitializationAction]:
    objects = rows(population.objects["flight"])
    flights = grouped(objects, FLIGHT_KEY, drawn_ids(rng, "FL", 5))
    fare_ids = drawn_ids(rng, "FA", 5)
    seats: dict[str, list[dict[str, Any]]] = {flight_id: [] for flight_id in flights.first}
    for flight_id, seat in zip(flights.ids, objects, strict=True):
        seats[flight_id].append(
            {
                "fare_id": next(fare_ids),
                "seat_type": seat["seat_type"],
                "seat_position": seat["seat_position"],
                "count": seat["available"],
                "price_cents": seat["price"],
            }
        )
    for flight_id, item in flights.first.items():
        yield InitializationAction(
            "add_flight_with_seats",
            {
                "flight_id": flight_id,
                "carrier": item["carrier"],
                "origin": item["origin"],
                "destination": item["destination"],
                "duration": item["arrival"] - item["departure"],
                "departure_date": iso_date(item["date"]),
                "departure_minute": item["departure"],
                "time_of_day": item["time_of_day"],
                "seats": seats[flight_id],
            },
        )


def _hotel_actions(population: Population, rng: Random) -> Iterator[InitializationAction]:
    objects = rows(population.objects["hotel"])
    hotels = grouped(objects, HOTEL_KEY, drawn_ids(rng, "HT", 4))
    names = hotel_names(rng, len(hotels.first))
    room_ids = drawn_ids(rng, "RM", 5)
    for name, (hotel_id, item) in zip(names, hotels.first.items(), strict=True):
        place = {key: item[key] for key in HOTEL_KEY}
        yield InitializationAction("add_hotel", {"hotel_id": hotel_id, "name": name, **place})
    for hotel_id, item in zip(hotels.ids, objects, strict=True):
        yield InitializationAction(
            "add_room_to_hotel",
            {
                "hotel_id": hotel_id,
                "room_id": next(room_ids),
                "room_type": item["room_type"],
                "bed_type": item["bed_type"],
                "max_occupancy": item["max_occupancy"],
                "start_date": iso_date(int(item["available_from"])),
                "num_dates": item["nights_open"],
                "price_cents": item["price"],
            },
        )


def _attraction_actions(population: Population, rng: Random) -> Iterator[InitializationAction]:
    objects = rows(population.objects["attraction"])
    ids = drawn_ids(rng, "AT", 5)
    named = [next(ids) for _ in objects]
    names = attraction_names(rng, [str(item["category"]) for item in objects])
    for attraction_id, name, item in zip(named, names, objects, strict=True):
        yield InitializationAction(
            "add_attraction",
            {
                "attraction_id": attraction_id,
                "name": name,
                "city": item["city"],
                "district": item["district"],
                "category": item["category"],
                "date": iso_date(int(item["date"])),
                "time_of_day": item["time_of_day"],
                "tickets": item["available"],
                "price_cents": item["price"],
            },
        )


def _add_flight_with_seats(call: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
    yield (
        "flights",
        {
            **{
                name: call[name]
                for name in (
                    "flight_id",
                    "carrier",
                    "origin",
                    "destination",
                    "departure_date",
                    "departure_minute",
                    "time_of_day",
                )
            },
            "arrival_minute": call["departure_minute"] + call["duration"],
        },
    )
    for seat in call["seats"]:
        yield (
            "fares",
            {
                "fare_id": seat["fare_id"],
                "flight_id": call["flight_id"],
                "seat_type": seat["seat_type"],
                "seat_position": seat["seat_position"],
                "price_cents": seat["price_cents"],
                "available": seat["count"],
            },
        )


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
