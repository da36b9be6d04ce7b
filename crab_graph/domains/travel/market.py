"""What can exist in the world of one task: cities, carriers, timetable and prices (paper A.5).

Property domains and derivations follow the paper's node types; `carrier` and `district` are added,
and a flight's clock times are a timetable of route, carrier and time of day, so that objects which
share these are seats on one physical flight.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from random import Random
from typing import Any

from crab_graph.dates import day_number
from crab_graph.domains.travel.names import CARRIERS, CITIES, DISTRICTS, read_data
from crab_graph.domains.travel.offers import KINDS
from crab_graph.domains.travel.request import TravelRequest
from crab_graph.generation.constraint_graph import Derived, NodeType, Property
from crab_graph.generation.constraints import Constraint, Value
from crab_graph.randomness import derive_rng

_MARKET = read_data("market.toml")
ATTRACTION_HOURS: Mapping[str, tuple[int, int]] = {
    part: (start, end) for part, (start, end) in _MARKET["attraction"]["hours"].items()
}

_LEVELS = tuple(range(12))
_Derivation = dict[tuple[Value, ...], Value]


def is_possible(first: Any, second: Any, never: Value, beside: Value) -> Any:
    """Two values do not go together."""
    return (first != never) | (second != beside)


def stays_in_no_city(origin: Any, destination: Any) -> Any:
    """A flight leaves its city."""
    return origin != destination


def values_of(kind: str, name: str) -> tuple[Any, ...]:
    """Return the values that a property has in every task."""
    return tuple(_MARKET[kind]["properties"][name])


def node_types(request: TravelRequest, seed: int) -> dict[str, NodeType]:
    """Return the node types of a task: its request bounds the world, all else is drawn.

    Beside origin and destination there are two cities that are none of the user's business.
    """
    rng = derive_rng(seed, "market")
    others = [city for city in CITIES if city not in (request.origin, request.destination)]
    decoys = derive_rng(seed, "decoy cities").sample(others, 2)
    cities = (request.origin, request.destination, *decoys)
    # Objects exist from two days before the first possible day of the trip to two after the last.
    first = day_number(request.departure_first) - 2
    last = day_number(request.departure_last) + request.nights + 2
    drawn: Mapping[str, tuple[Value, ...]] = {
        "cities": cities[1:],
        "codes": tuple(CITIES[city].code for city in cities),
        "carriers": tuple(rng.sample(CARRIERS, 4)),
        "districts": tuple(derive_rng(seed, "districts").sample(DISTRICTS, 4)),
        "days": tuple(range(first, last + 1)),
        "levels": _LEVELS,
    }
    derived = {
        "flight": _flight(rng, drawn["codes"], drawn["carriers"]),
        "hotel": _hotel(range(first, last + 1)),
        "attraction": _attraction(rng),
    }
    types = {}
    for name, own in derived.items():
        properties = {
            one: drawn[values] if isinstance(values, str) else tuple(values)
            for one, values in _MARKET[name]["properties"].items()
        }
        types[name] = NodeType(
            name=name,
            properties=tuple(Property(*one) for one in properties.items()),
            derived=own,
            domain_constraints=tuple(_rules(name)),
            # What objects are told apart by is all but how many are left.
            identity=tuple(one for one in properties if one != "available"),
            bundle=KINDS[name].bundle,
        )
    return types


def _rules(name: str) -> Iterator[Constraint]:
    """Yield what holds for every object of a type."""
    if name == "flight":
        rule = "no flight stays in its city"
        refs = ((name, "origin"), (name, "destination"))
        yield Constraint(rule, refs, stays_in_no_city, sentence=rule)
    for rule, pair in _MARKET[name]["impossible"].items():
        first, second = pair
        values = {"never": pair[first], "beside": pair[second]}
        yield Constraint(rule, ((name, first), (name, second)), is_possible, values, rule)


def _flight(
    rng: Random, codes: tuple[Value, ...], carriers: tuple[Value, ...]
) -> tuple[Derived, ...]:
    market = _MARKET["flight"]
    # In minutes; the longest flight of the latest departure lands before midnight.
    duration = {pair: rng.randrange(70, 201, 5) for pair in product(codes, codes)}
    departure: _Derivation = {}
    arrival: _Derivation = {}
    for key in product(codes, codes, carriers, market["departures"]):
        first, last = market["departures"][key[-1]]
        minute = rng.randrange(first, last, 5)
        departure[key] = minute
        arrival[key] = minute + duration[key[:2]]
    inputs = ("origin", "destination", "carrier", "time_of_day")
    return (
        Derived("departure", inputs, departure),
        Derived("arrival", inputs, arrival),
        Derived("price", ("seat_type", "level"), _prices(rng, market["prices"], 70, 180)),
    )


def _hotel(days: Iterable[int]) -> tuple[Derived, ...]:
    market = _MARKET["hotel"]
    price: _Derivation = {
        (stars, room, level): _cents(base * percent, 100, level, 80, 160)
        for stars, base in enumerate(market["prices"], start=1)
        for (room, percent), level in product(market["percent"].items(), _LEVELS)
    }
    stays = product(days, market["properties"]["nights_open"])
    open_until: _Derivation = {(day, nights): day + nights for day, nights in stays}
    return (
        Derived("available_until", ("available_from", "nights_open"), open_until),
        Derived("price", ("stars", "room_type", "level"), price),
    )


def _attraction(rng: Random) -> tuple[Derived, ...]:
    starts: _Derivation = {(part,): start for part, (start, _) in ATTRACTION_HOURS.items()}
    ends: _Derivation = {(part,): end for part, (_, end) in ATTRACTION_HOURS.items()}
    prices = _prices(rng, _MARKET["attraction"]["prices"], 60, 210)
    return (
        Derived("start", ("time_of_day",), starts),
        Derived("end", ("time_of_day",), ends),
        Derived("price", ("category", "level"), prices),
    )


def _prices(rng: Random, base: Mapping[str, int], low: int, high: int) -> _Derivation:
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
