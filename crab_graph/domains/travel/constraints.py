"""The travel constraints: what the user asks of each entity and the six edge types (design §4)."""

from collections.abc import Iterator
from typing import Any

from crab_graph.dates import MINUTES_A_DAY, day_number
from crab_graph.domains.kind import bounded_cost
from crab_graph.domains.travel.names import CITIES
from crab_graph.domains.travel.offers import TRAVEL_SLOTS, kinds_of_slots
from crab_graph.domains.travel.request import TravelRequest
from crab_graph.generation.constraint_graph import ConstraintGraph, Node
from crab_graph.generation.constraints import (
    Constraint,
    at_least,
    equals,
    within,
)
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
    yield _wish(node, "origin", CITIES[origin].code, f"leaves from {origin}", structural=True)
    yield _wish(
        node, "destination", CITIES[destination].code, f"goes to {destination}", structural=True
    )
    if node == "outbound":
        first, last = day_number(request.departure_first), day_number(request.departure_last)
        yield Constraint(
            "departure_window",
            ((node, "date"),),
            within,
            {"first": first, "last": last},
            f"departs between {request.departure_first} and {request.departure_last}",
        )
    part = request.outbound_time_of_day if node == "outbound" else request.return_time_of_day
    for name, value in (
        ("time_of_day", part),
        ("seat_type", request.seat_type),
        ("seat_position", request.seat_position),
    ):
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
    if request.room_type is not None:
        yield _wish("hotel", "room_type", request.room_type, f"room type is {request.room_type}")
    if request.bed_type is not None:
        yield _wish("hotel", "bed_type", request.bed_type, f"bed type is {request.bed_type}")
    yield _party("hotel", "max_occupancy", request.party_size)


def _attraction(request: TravelRequest) -> Iterator[Constraint]:
    node = "attraction"
    yield _wish(node, "city", request.destination, f"is in {request.destination}", structural=True)
    if request.attraction_category is not None:
        yield _wish(
            node, "category", request.attraction_category, f"is a {request.attraction_category}"
        )
    if request.attraction_time_of_day is not None:
        part = request.attraction_time_of_day
        yield _wish(node, "time_of_day", part, f"is in the {part}")
    if request.attraction_date is not None:
        day = day_number(request.attraction_date)
        yield _wish(node, "date", day, f"is on {request.attraction_date}")
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
    node: str, name: str, value: int | str, sentence: str, structural: bool = False
) -> Constraint:
    return Constraint(
        f"{node}_{name}",
        ((node, name),),
        equals,
        {"required": value},
        sentence,
        structural=structural,
    )


def _party(node: str, name: str, size: int) -> Constraint:
    return Constraint(
        f"{node}_party",
        ((node, name),),
        at_least,
        {"minimum": size},
        f"has room for {size}",
    )
