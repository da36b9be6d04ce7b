"""What can be booked: the travel tables, the kinds of bookings, and the slots that they fill."""

from collections.abc import Mapping
from typing import Any

from crab_graph.dates import day_number
from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.kind import BookingTerms, Kind, KindTools, SearchStep
from crab_graph.domains.travel.names import read_data
from crab_graph.money import parse_cents
from crab_graph.tools.tables import PLATFORM_TABLES, PRIVATE_TABLES, Row, Table

_TABLES = {
    name: Table(name, next(iter(columns)), columns)
    for name, columns in read_data("tables.toml").items()
}
TRAVEL_TABLES = tuple(_TABLES.values())
ALL_TABLES = (*PLATFORM_TABLES, *PRIVATE_TABLES, *TRAVEL_TABLES)


def _clock(text: str) -> int:
    hours, minutes = text[-5:].split(":")
    return int(hours) * 60 + int(minutes)


def _flight_row(row: Row) -> dict[str, Any]:
    known = {name: row[name] for name in ("flight_id", "carrier", "time_of_day")}
    times = {"departure": _clock(row["departs"]), "arrival": _clock(row["arrives"])}
    return {**known, "date": day_number(row["departs"][:10]), **times}


def _fare_row(row: Row) -> dict[str, Any]:
    known = {name: row[name] for name in ("fare_id", "seat_type", "seat_position", "available")}
    return {**known, "price": parse_cents(row["price"])}


def _room_row(row: Row) -> dict[str, Any]:
    days = {name: day_number(row[name]) for name in ("available_from", "available_until")}
    known = {name: row[name] for name in ("room_id", "room_type", "bed_type", "max_occupancy")}
    return {**known, **days, "price": parse_cents(row["price_per_night"])}


def _attraction_row(row: Row) -> dict[str, Any]:
    names = ("attraction_id", "name", "category", "district", "time_of_day", "available")
    times = {"start": _clock(row["starts"]), "end": _clock(row["ends"])}
    price = parse_cents(row["price_per_ticket"])
    known = {name: row[name] for name in names}
    return {**known, "date": day_number(row["starts"][:10]), **times, "price": price}


_ROUTE = ("origin", "destination", "date")
_DAYS = ("check_in", "check_out")
_FLIGHT_STEPS = (
    SearchStep("search_flights_by_route", "flights", {n: n for n in _ROUTE}, _ROUTE, _flight_row),
    SearchStep(
        "search_available_seats", "fares", {"flight_id": "flight_id"}, ("flight_id",), _fare_row
    ),
)
_HOTEL_STEPS = (
    SearchStep("search_hotels_by_city", "hotels", {"city": "city"}, ("city",), dict),
    SearchStep(
        "search_available_rooms",
        "rooms",
        {**{name: name for name in ("hotel_id", *_DAYS)}, "guests": "max_occupancy"},
        ("hotel_id", *_DAYS),
        _room_row,
    ),
)
_ATTRACTION_STEPS = (
    SearchStep(
        "search_attractions_by_city",
        "attractions",
        {name: name for name in ("city", "date", "category")},
        ("city",),
        _attraction_row,
    ),
)


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
            _FLIGHT_STEPS,
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
            _HOTEL_STEPS,
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
            _ATTRACTION_STEPS,
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
