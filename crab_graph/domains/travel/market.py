"""What can exist in the world of one task: cities, carriers, timetable and prices (paper A.5).

Property domains and derivations follow the paper's node types; `carrier` and `district` are added,
and a flight's clock times are a timetable of route, carrier and time of day, so that objects which
share these are seats on one physical flight.
"""

from collections.abc import Callable, Mapping
from itertools import product
from random import Random
from typing import Any

from crab_graph.dates import day_number
from crab_graph.domains.travel.names import CARRIERS, CITIES, DISTRICTS
from crab_graph.domains.travel.offers import KINDS
from crab_graph.domains.travel.request import TravelRequest
from crab_graph.generation.constraint_graph import Derived, NodeType, Property
from crab_graph.generation.constraints import Constraint, Value
from crab_graph.randomness import derive_rng

FLIGHT_TIMES_OF_DAY = ("morning", "midday", "night")
SEAT_TYPES = ("economy", "premium economy", "business")
SEAT_POSITIONS = ("window", "aisle", "middle")
STARS = (1, 2, 3, 4, 5)
ROOM_TYPES = ("standard", "deluxe", "suite")
BED_TYPES = ("twin", "queen", "king")
OCCUPANCIES = (1, 2, 4)
CATEGORIES = ("museum", "tour", "show")
ATTRACTION_HOURS = {
    "morning": (9 * 60, 12 * 60),
    "afternoon": (13 * 60, 17 * 60),
    "evening": (18 * 60, 22 * 60),
    "all-day": (0, 23 * 60 + 59),
}

_LEVELS = tuple(range(12))
_AVAILABLE = (1, 2, 3, 4, 6, 9)
_NIGHTS_OPEN = tuple(range(1, 8))
_DAYS_AROUND = 2
"""Days before the first and after the last possible day of the trip on which objects exist."""

_DEPARTURES = {
    "morning": (6 * 60, 10 * 60),
    "midday": (11 * 60 + 30, 15 * 60),
    "night": (18 * 60, 20 * 60 + 25),
}
_SHORTEST, _LONGEST = 70, 200
"""Flight times in minutes; the longest flight of the latest departure lands before midnight."""

_FARE_BASE = {"economy": 120, "premium economy": 210, "business": 400}
_ROOM_BASE = {1: 45, 2: 70, 3: 105, 4: 150, 5: 220}
_ROOM_FACTOR = {"standard": 100, "deluxe": 135, "suite": 190}
_TICKET_BASE = {"museum": 18, "tour": 42, "show": 65}


_RULES: Mapping[str, Mapping[str, tuple[str, str, Callable[[Any, Any], Any]]]] = {
    "flight": {
        "no flight stays in its city": ("origin", "destination", lambda start, end: start != end),
        "no middle seat in business": (
            "seat_type",
            "seat_position",
            lambda seat, position: (seat != "business") | (position != "middle"),
        ),
    },
    "hotel": {
        "no suite for one": (
            "room_type",
            "max_occupancy",
            lambda room, people: (room != "suite") | (people > 1),
        ),
        "no twin beds for four": (
            "bed_type",
            "max_occupancy",
            lambda bed, people: (bed != "twin") | (people < 4),
        ),
    },
    "attraction": {
        "no all-day show": (
            "category",
            "time_of_day",
            lambda category, part: (category != "show") | (part != "all-day"),
        ),
    },
}
"""What holds for every object: two properties that are read, and a predicate of operators."""


def node_types(request: TravelRequest, seed: int) -> dict[str, NodeType]:
    """Return the node types of a task: its request bounds the world, all else is drawn."""
    rng = derive_rng(seed, "market")
    cities = cities_of(request, seed)
    first = day_number(request.departure_first) - _DAYS_AROUND
    last = day_number(request.departure_last) + request.nights + _DAYS_AROUND
    days = tuple(range(first, last + 1))
    return {
        "flight": _flight(rng, cities, days),
        "hotel": _hotel(rng, cities, days, districts_of(seed)),
        "attraction": _attraction(rng, cities, days, districts_of(seed)),
    }


def cities_of(request: TravelRequest, seed: int) -> tuple[str, ...]:
    """Return origin, destination and two cities that are none of the user's business."""
    rng = derive_rng(seed, "decoy cities")
    others = [city for city in CITIES if city not in (request.origin, request.destination)]
    return (request.origin, request.destination, *rng.sample(others, 2))


def districts_of(seed: int) -> tuple[str, ...]:
    """Return the four district names that every city of the task has."""
    return tuple(derive_rng(seed, "districts").sample(DISTRICTS, 4))


def _flight(rng: Random, cities: tuple[str, ...], days: tuple[int, ...]) -> NodeType:
    codes = tuple(CITIES[city].code for city in cities)
    carriers = tuple(rng.sample(CARRIERS, 4))
    duration = {pair: rng.randrange(_SHORTEST, _LONGEST + 1, 5) for pair in product(codes, codes)}
    departure: dict[tuple[Value, ...], Value] = {}
    arrival: dict[tuple[Value, ...], Value] = {}
    for start, end, carrier, part in product(codes, codes, carriers, FLIGHT_TIMES_OF_DAY):
        minute = rng.randrange(*_DEPARTURES[part], 5)
        departure[(start, end, carrier, part)] = minute
        arrival[(start, end, carrier, part)] = minute + duration[(start, end)]
    inputs = ("origin", "destination", "carrier", "time_of_day")
    return _node_type(
        "flight",
        (
            Property("origin", codes),
            Property("destination", codes),
            Property("date", days),
            Property("time_of_day", FLIGHT_TIMES_OF_DAY),
            Property("carrier", carriers),
            Property("seat_type", SEAT_TYPES),
            Property("seat_position", SEAT_POSITIONS),
            Property("level", _LEVELS),
            Property("available", _AVAILABLE),
        ),
        (
            Derived("departure", inputs, departure),
            Derived("arrival", inputs, arrival),
            Derived("price", ("seat_type", "level"), _prices(rng, _FARE_BASE, 70, 180)),
        ),
    )


def _hotel(
    rng: Random, cities: tuple[str, ...], days: tuple[int, ...], districts: tuple[str, ...]
) -> NodeType:
    price: dict[tuple[Value, ...], Value] = {
        (stars, room, level): _cents(_ROOM_BASE[stars] * _ROOM_FACTOR[room], 100, level, 80, 160)
        for stars, room, level in product(STARS, ROOM_TYPES, _LEVELS)
    }
    until: dict[tuple[Value, ...], Value] = {
        (day, nights): day + nights for day, nights in product(days, _NIGHTS_OPEN)
    }
    return _node_type(
        "hotel",
        (
            Property("city", cities[1:]),
            Property("district", districts),
            Property("stars", STARS),
            Property("room_type", ROOM_TYPES),
            Property("bed_type", BED_TYPES),
            Property("max_occupancy", OCCUPANCIES),
            Property("available_from", days),
            Property("nights_open", _NIGHTS_OPEN),
            Property("level", _LEVELS),
        ),
        (
            Derived("available_until", ("available_from", "nights_open"), until),
            Derived("price", ("stars", "room_type", "level"), price),
        ),
    )


def _attraction(
    rng: Random, cities: tuple[str, ...], days: tuple[int, ...], districts: tuple[str, ...]
) -> NodeType:
    return _node_type(
        "attraction",
        (
            Property("city", cities[1:]),
            Property("district", districts),
            Property("category", CATEGORIES),
            Property("date", days),
            Property("time_of_day", tuple(ATTRACTION_HOURS)),
            Property("level", _LEVELS),
            Property("available", _AVAILABLE),
        ),
        (
            Derived("start", ("time_of_day",), {(k,): v[0] for k, v in ATTRACTION_HOURS.items()}),
            Derived("end", ("time_of_day",), {(k,): v[1] for k, v in ATTRACTION_HOURS.items()}),
            Derived("price", ("category", "level"), _prices(rng, _TICKET_BASE, 60, 210)),
        ),
    )


def _node_type(
    name: str, properties: tuple[Property, ...], derived: tuple[Derived, ...]
) -> NodeType:
    """Return a node type: what objects are told apart by is all but how many are left."""
    return NodeType(
        name=name,
        properties=properties,
        derived=derived,
        domain_constraints=tuple(
            Constraint(rule, ((name, first), (name, second)), predicate, sentence=rule)
            for rule, (first, second, predicate) in _RULES[name].items()
        ),
        identity=tuple(one.name for one in properties if one.name != "available"),
        bundle=KINDS[name].bundle,
    )


def _prices(
    rng: Random, base: dict[str, int], low: int, high: int
) -> dict[tuple[Value, ...], Value]:
    season = rng.randrange(90, 112)
    return {
        (kind, level): _cents(base[kind] * season, 100, level, low, high)
        for kind, level in product(base, _LEVELS)
    }


def _cents(amount: int, scale: int, level: int, low: int, high: int) -> int:
    """Return `amount / scale` dollars at a price level between `low` and `high` percent, in cents.

    Whole dimes: exact in cents, and no level gives itself away by its digits.
    """
    percent_x11 = low * 11 + (high - low) * level
    return round(amount * percent_x11 / (scale * 110)) * 10
