"""The travel constraints: what the user asks of each entity and the six edge types (design §4)."""

from collections.abc import Iterator
from typing import Any

from crab_graph.dates import MINUTES_A_DAY, day_number
from crab_graph.domains.kind import bounded_cost
from crab_graph.domains.travel.names import CITIES
from crab_graph.domains.travel.offers import TRAVEL_SLOTS, kinds_of_slots
from crab_graph.domains.travel.request import TravelRequest
from crab_graph.generation.constraint_graph import ConstraintGraph, Node
from crab_graph.generation.constraints import Constraint, at_least, equals, within
from crab_graph.money import format_dollars

NODES = tuple(Node(slot.id, slot.kind) for slot in TRAVEL_SLOTS)


def trip_length(departure_date: Any, return_date: Any, nights: Any) -> Any:
    """The return flight leaves `nights` days after the outbound flight."""
    return return_date == departure_date + nights


def stay_covers_trip(
    first_night: Any, last_day: Any, available_from: Any, available_until: Any
) -> Any:
    """The room is available every night of `[first_night, last_day)`."""
    return (available_from <= first_night) & (available_until >= last_day)


def attraction_fits_trip(
    departure_date: Any,
    arrival: Any,
    return_date: Any,
    departure: Any,
    date: Any,
    start: Any,
    end: Any,
) -> Any:
    """The slot starts at or after the arrival and ends at or before the return departure."""
    begins = date * MINUTES_A_DAY + start
    ends = date * MINUTES_A_DAY + end
    landed = departure_date * MINUTES_A_DAY + arrival
    leaves = return_date * MINUTES_A_DAY + departure
    return (begins >= landed) & (ends <= leaves)


def build_graph(request: TravelRequest) -> ConstraintGraph:
    """Return the constraint graph of a request."""
    return ConstraintGraph(
        NODES,
        (
            *_leg(request, "outbound", request.origin, request.destination),
            *_leg(request, "return", request.destination, request.origin),
            *_hotel(request),
            *_attraction(request),
            *_edges(request),
        ),
    )


def _leg(request: TravelRequest, node: str, origin: str, destination: str) -> Iterator[Constraint]:
    codes = CITIES[origin].code, CITIES[destination].code
    yield _wish(node, "origin", codes[0], f"leaves from {origin}", structural=True)
    yield _wish(node, "destination", codes[1], f"goes to {destination}", structural=True)
    if node == "outbound":
        first, last = request.departure_first, request.departure_last
        yield Constraint(
            "departure_window",
            ((node, "date"),),
            within,
            {"first": day_number(first), "last": day_number(last)},
            f"departs between {first} and {last}",
        )
    wishes = (
        ("time_of_day", getattr(request, f"{node}_time_of_day")),
        ("seat_type", request.seat_type),
        ("seat_position", request.seat_position),
    )
    for name, value in wishes:
        if value is not None:
            yield _wish(node, name, value, f"{name.replace('_', ' ')} is {value}")
    yield _party(node, "available", request.party_size)


def _hotel(request: TravelRequest) -> Iterator[Constraint]:
    yield _wish(
        "hotel", "city", request.destination, f"is in {request.destination}", structural=True
    )
    if request.hotel_stars is not None:
        yield Constraint(
            "hotel_stars",
            (("hotel", "stars"),),
            at_least,
            {"minimum": request.hotel_stars},
            f"has at least {request.hotel_stars} stars",
        )
    for name, value in (("room_type", request.room_type), ("bed_type", request.bed_type)):
        if value is not None:
            yield _wish("hotel", name, value, f"{name.replace('_', ' ')} is {value}")
    yield _party("hotel", "max_occupancy", request.party_size)


def _attraction(request: TravelRequest) -> Iterator[Constraint]:
    node, city, date = "attraction", request.destination, request.attraction_date
    yield _wish(node, "city", city, f"is in {city}", structural=True)
    category, part = request.attraction_category, request.attraction_time_of_day
    if category is not None:
        yield _wish(node, "category", category, f"is a {category}")
    if part is not None:
        yield _wish(node, "time_of_day", part, f"is in the {part}")
    if date is not None:
        yield _wish(node, "date", day_number(date), f"is on {date}")
    yield _party(node, "available", request.party_size)


def _edges(request: TravelRequest) -> Iterator[Constraint]:
    days = (("outbound", "date"), ("return", "date"))
    yield Constraint(
        "trip_length",
        days,
        trip_length,
        {"nights": request.nights},
        f"returns {request.nights} nights after the departure",
    )
    yield Constraint(
        "stay_covers_trip",
        (*days, ("hotel", "available_from"), ("hotel", "available_until")),
        stay_covers_trip,
        sentence="the room is available every night of the trip",
    )
    yield Constraint(
        "attraction_fits_trip",
        (
            ("outbound", "date"),
            ("outbound", "arrival"),
            ("return", "date"),
            ("return", "departure"),
            ("attraction", "date"),
            ("attraction", "start"),
            ("attraction", "end"),
        ),
        attraction_fits_trip,
        sentence="the attraction lies between arrival and return departure",
    )
    if request.budget_cents is not None:
        yield bounded_cost(
            "total_budget",
            kinds_of_slots(),
            request,
            request.budget_cents,
            f"the whole trip costs at most {format_dollars(request.budget_cents)}",
        )
    if request.same_carrier:
        refs = (("outbound", "carrier"), ("return", "carrier"))
        yield Constraint("same_carrier", refs, equals, sentence="both flights are with one carrier")
    if request.same_district:
        refs = (("hotel", "district"), ("attraction", "district"))
        sentence = "the attraction is in the hotel's district"
        yield Constraint("same_district", refs, equals, sentence=sentence)


def _wish(
    node: str, name: str, value: int | str, sentence: str, *, structural: bool = False
) -> Constraint:
    ref, wanted = (node, name), {"required": value}
    return Constraint(f"{node}_{name}", (ref,), equals, wanted, sentence, structural=structural)


def _party(node: str, name: str, size: int) -> Constraint:
    wanted = {"minimum": size}
    return Constraint(f"{node}_party", ((node, name),), at_least, wanted, f"has room for {size}")
