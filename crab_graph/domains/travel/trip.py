"""Reads which travel slots the episode's bookings fill (verification rulebook section 3)."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from crab_graph.dates import day_number
from crab_graph.domains.travel.offers import ATTRACTION, HOTEL, KINDS, OUTBOUND, RETURN, SLOTS
from crab_graph.domains.travel.tools import TRAVEL_ENTITIES
from crab_graph.domains.verification import SlotBooking, Traveller, Trip
from crab_graph.tools.bookings import BookingStatus
from crab_graph.tools.ledger import BookingTables
from crab_graph.tools.tables import Row

Properties = dict[str, int | str]


class TripPlaces(NamedTuple):
    """Where the trip goes: airport codes of both ends, and the city to stay in."""

    origin: str
    destination: str
    city: str


class _Reading(NamedTuple):
    """What the items of a booking tell: the offer, and how much of it was taken."""

    properties: Properties
    slot: str | None
    unit_cents: int
    units: int
    due_cents: int
    places: int
    is_one_offer: bool
    travellers: tuple[Traveller, ...] = ()


def read_trip(tables: BookingTables, customer_id: str, places: TripPlaces) -> Trip:
    """Return the active bookings that the episode made for a customer, by slot.

    A slot lists all bookings that fit it, in the order in which they were made. All but its first,
    and the bookings that fit no slot, are also listed as surplus.

    Args:
        tables: The tables at the end, or at any point, of the episode.
        customer_id: The task's customer.
        places: Where the trip goes.
    """
    slots: dict[str, tuple[SlotBooking, ...]] = {slot: () for slot in SLOTS}
    surplus: list[SlotBooking] = []
    for row in tables.inserted("bookings"):
        if row["customer_id"] != customer_id or row["status"] == BookingStatus.CANCELLED:
            continue
        booking = _read_booking(tables, row, places)
        if booking.slot is None or slots[booking.slot]:
            surplus.append(booking)
        if booking.slot is not None:
            slots[booking.slot] = (*slots[booking.slot], booking)
    return Trip(slots, tuple(surplus))


def _read_booking(tables: BookingTables, booking: Row, places: TripPlaces) -> SlotBooking:
    kind, entity_id = booking["kind"], booking["entity_id"]
    table, name_column = TRAVEL_ENTITIES[kind]
    entity = tables.world.tables[table][entity_id]
    reading = _READERS[kind](tables, booking["booking_id"], entity, places)
    return SlotBooking(
        booking_id=booking["booking_id"],
        kind=kind,
        slot=reading.slot,
        entity_id=entity_id,
        name=entity[name_column] if name_column else None,
        status=booking["status"],
        total_cents=booking["total_cents"],
        due_cents=reading.due_cents,
        unit_cents=reading.unit_cents,
        units=reading.units,
        places=reading.places,
        is_one_offer=reading.is_one_offer,
        properties=reading.properties,
        travellers=reading.travellers,
    )


def _read_flight(
    tables: BookingTables, booking_id: str, flight: Row, places: TripPlaces
) -> _Reading:
    seats = tables.find("booking_seats", "booking_id", booking_id)
    fares = [tables.world.tables["fares"][seat["fare_id"]] for seat in seats]
    count = Counter(seat["fare_id"] for seat in seats)
    sold = {fare["fare_id"]: (fare["price_cents"], count[fare["fare_id"]]) for fare in fares}
    route = (flight["origin"], flight["destination"])
    slots = {places[:2]: OUTBOUND, (places.destination, places.origin): RETURN}
    return _Reading(
        properties=flight_properties(flight, fares[0]),
        slot=slots.get(route),
        unit_cents=fares[0]["price_cents"],
        units=len(seats),
        due_cents=sum(KINDS["flight"].price(cents, units) for cents, units in sold.values()),
        places=len(seats),
        is_one_offer=len(sold) == 1,
        travellers=tuple(
            Traveller(seat["passenger_name"], seat["date_of_birth"]) for seat in seats
        ),
    )


def _read_hotel(tables: BookingTables, booking_id: str, hotel: Row, places: TripPlaces) -> _Reading:
    stays = tables.find("booking_rooms", "booking_id", booking_id)
    rooms = [tables.world.tables["rooms"][stay["room_id"]] for stay in stays]
    check_in, check_out = day_number(stays[0]["check_in"]), day_number(stays[0]["check_out"])
    nights = check_out - check_in
    return _Reading(
        properties={
            **room_properties(hotel, rooms[0]),
            "check_in": check_in,
            "check_out": check_out,
        },
        slot=HOTEL if hotel["city"] == places.city else None,
        unit_cents=sum(room["price_cents"] for room in rooms),
        units=nights,
        due_cents=sum(KINDS["hotel"].price(room["price_cents"], nights) for room in rooms),
        places=sum(room["max_occupancy"] for room in rooms),
        is_one_offer=len(rooms) == 1,
    )


def _read_attraction(
    tables: BookingTables, booking_id: str, attraction: Row, places: TripPlaces
) -> _Reading:
    lines = tables.find("booking_tickets", "booking_id", booking_id)
    tickets = sum(line["tickets"] for line in lines)
    return _Reading(
        properties=attraction_properties(attraction),
        slot=ATTRACTION if attraction["city"] == places.city else None,
        unit_cents=attraction["price_cents"],
        units=tickets,
        due_cents=KINDS["attraction"].price(attraction["price_cents"], tickets),
        places=tickets,
        is_one_offer=True,
    )


def flight_properties(flight: Row, fare: Row) -> Properties:
    """Return the properties that the constraints name of one fare of a flight, in engine values."""
    return {
        **_copied(flight, "flight_id", "carrier", "origin", "destination", "time_of_day"),
        "date": day_number(flight["departure_date"]),
        "departure": flight["departure_minute"],
        "arrival": flight["arrival_minute"],
        **_copied(fare, "fare_id", "seat_type", "seat_position", "available"),
        "price": fare["price_cents"],
    }


def room_properties(hotel: Row, room: Row) -> Properties:
    """Return the properties that the constraints name of one room of a hotel, in engine values."""
    return {
        **_copied(hotel, "hotel_id", "city", "district", "stars"),
        **_copied(room, "room_id", "room_type", "bed_type", "max_occupancy"),
        "available_from": day_number(room["available_from"]),
        "available_until": day_number(room["available_until"]),
        "price": room["price_cents"],
    }


def attraction_properties(attraction: Row) -> Properties:
    """Return the properties that the constraints name of one attraction, in engine values."""
    return {
        **_copied(attraction, "attraction_id", "city", "district", "category", "time_of_day"),
        "date": day_number(attraction["date"]),
        "start": attraction["start_minute"],
        "end": attraction["end_minute"],
        "price": attraction["price_cents"],
        "available": attraction["available"],
    }


def _copied(row: Row, *columns: str) -> Properties:
    return {column: row[column] for column in columns}


_READERS: Mapping[str, Callable[[BookingTables, str, Row, TripPlaces], _Reading]] = {
    "flight": _read_flight,
    "hotel": _read_hotel,
    "attraction": _read_attraction,
}
