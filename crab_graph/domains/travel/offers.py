"""What can be booked: the travel tables, the kinds of bookings, and the slots that they fill."""

from collections.abc import Mapping
from typing import Any

from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.kind import BookingTerms, Kind, KindTools, SearchStep
from crab_graph.domains.travel.names import read_data
from crab_graph.tools.tables import PLATFORM_TABLES, PRIVATE_TABLES, Table

_TABLES = {
    name: Table(name, next(iter(columns)), columns)
    for name, columns in read_data("tables.toml").items()
}
TRAVEL_TABLES = tuple(_TABLES.values())
ALL_TABLES = (*PLATFORM_TABLES, *PRIVATE_TABLES, *TRAVEL_TABLES)


def _steps(lists: str, tool: str, *needed: str) -> tuple[SearchStep, ...]:
    return (SearchStep(tool, lists, {name: name for name in needed}, needed, dict),)


def _seats(terms: BookingTerms) -> dict[str, Any]:
    seats = [
        {"fare_id": terms.offer_id, "passenger_name": name, "date_of_birth": born}
        for name, born in terms.people
    ]
    return {"customer_id": terms.customer_id, "flight_id": terms.entity_id, "seats": seats}


def _stay(terms: BookingTerms) -> dict[str, Any]:
    stay = dict(zip(("check_in", "check_out"), terms.days or (), strict=True))
    booked = {"customer_id": terms.customer_id, "hotel_id": terms.entity_id}
    return {**booked, "room_ids": [terms.offer_id], **stay, "guests": terms.party}


def _tickets(terms: BookingTerms) -> dict[str, Any]:
    booked = {"customer_id": terms.customer_id, "attraction_id": terms.entity_id}
    return {**booked, "tickets": terms.units}


KINDS: Mapping[str, Kind] = {
    "flight": Kind(
        "flight",
        unit="passenger",
        count="party_size",
        entity=_TABLES["flights"],
        offer=_TABLES["fares"],
        items="booking_seats",
        renamed={
            "departure_date": "date",
            "departure_minute": "departure",
            "arrival_minute": "arrival",
            "price_cents": "price",
        },
        bundle=("origin", "destination", "date", "time_of_day", "carrier"),
        prefixes=(("FL", 5), ("FA", 5)),
        people=("passenger_name", "date_of_birth"),
        tools=KindTools(
            _steps("flights", "search_flights_by_route", "origin", "destination", "date"),
            "book_flight_with_seats",
            _seats,
            "cancel_flight",
        ),
    ),
    "hotel": Kind(
        "hotel",
        unit="night",
        count="nights",
        entity=_TABLES["hotels"],
        offer=_TABLES["rooms"],
        items="booking_rooms",
        renamed={"price_cents": "price"},
        bundle=("city", "district", "stars"),
        prefixes=(("HT", 4), ("RM", 5)),
        interval=("check_in", "check_out"),
        places="max_occupancy",
        tools=KindTools(
            _steps("hotels", "search_hotels_by_city", "city"),
            "book_hotel_with_rooms",
            _stay,
            "cancel_hotel_booking",
        ),
    ),
    "attraction": Kind(
        "attraction",
        unit="ticket",
        count="party_size",
        entity=_TABLES["attractions"],
        offer=_TABLES["attractions"],
        items="booking_tickets",
        renamed={"start_minute": "start", "end_minute": "end", "price_cents": "price"},
        prefixes=(("AT", 5),),
        quantity="tickets",
        tools=KindTools(
            _steps("attractions", "search_attractions_by_city", "city"),
            "book_attraction",
            _tickets,
            "cancel_attraction_booking",
        ),
    ),
}

OUTBOUND, RETURN, HOTEL, ATTRACTION = SLOTS = ("outbound", "return", "hotel", "attraction")

TRAVEL_SLOTS = (
    TaskSlot(OUTBOUND, "flight", "outbound flight"),
    TaskSlot(RETURN, "flight", "return flight"),
    TaskSlot(HOTEL, "hotel", "hotel"),
    TaskSlot(ATTRACTION, "attraction", "attraction"),
)


def kinds_of_slots() -> dict[str, Kind]:
    """Return the kind of booking that fills each slot."""
    return {slot.id: KINDS[slot.kind] for slot in TRAVEL_SLOTS}
