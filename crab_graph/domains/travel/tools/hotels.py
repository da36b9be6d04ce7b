"""The agent's hotel tools (paper table 6, category Hotels)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from crab_graph.dates import day_number
from crab_graph.domain.kind import book, cancel, rebook
from crab_graph.domains.travel.offers import KINDS
from crab_graph.domains.travel.tools.flights import resolve_city
from crab_graph.errors import ToolCallError
from crab_graph.money import CURRENCY, format_cents
from crab_graph.settings import Toolset
from crab_graph.tools.arguments import IsoDate, shown
from crab_graph.tools.bookings import BookingStatus, require_changeable, require_customer
from crab_graph.tools.ledger import BookingTables
from crab_graph.tools.registry import ErrorCode, Owner, Result, ToolCall, ToolType, tool
from crab_graph.tools.tables import Row, picked

CATEGORY = "Hotels"
KIND = "hotel"


class HotelStay(NamedTuple):
    """What a hotel booking is for."""

    hotel_id: str
    room_ids: Sequence[str]
    check_in: str
    check_out: str
    guests: int = 1

    def items(self) -> list[Row]:
        """Return what a booking of it holds."""
        held = {"check_in": self.check_in, "check_out": self.check_out, "guests": self.guests}
        return [{"room_id": room_id, **held} for room_id in self.room_ids]


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
def search_hotels_by_city(call: ToolCall, city: str) -> Result:
    """List the hotels of a city with stars and district. Prices: search_available_rooms.

    Args:
        city: Name of the city.
    """
    name = resolve_city(call, city)
    hotels = call.tables.find("hotels", "city", name)
    listed = [picked(row, "hotel_id", "name", "stars", "district") for row in hotels]
    return {"city": name, "hotels": listed}


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
def search_available_rooms(
    call: ToolCall,
    hotel_id: str,
    check_in: IsoDate,
    check_out: IsoDate,
    guests: int | None = None,
) -> Result:
    """List a hotel's rooms that are free on every night from check-in to check-out.

    Args:
        hotel_id: Hotel id.
        check_in: First night, YYYY-MM-DD.
        check_out: Day of departure, YYYY-MM-DD.
        guests: Only rooms for at least so many people.
    """
    _require_hotel(call, hotel_id)
    nights = _count_nights(check_in, check_out)
    if guests is not None:
        _check_guests(guests)
    held = held_rooms(call.tables, check_in, check_out)
    rooms = [
        {
            "room_id": row["room_id"],
            "room_type": row["room_type"],
            "bed_type": row["bed_type"],
            "max_occupancy": row["max_occupancy"],
            "price_per_night": format_cents(row["price_cents"]),
            "available_from": row["available_from"],
            "available_until": row["available_until"],
        }
        for row in call.tables.find("rooms", "hotel_id", hotel_id)
        if row["available_from"] <= check_in
        and check_out <= row["available_until"]
        and row["max_occupancy"] >= (guests or 1)
        and row["room_id"] not in held
    ]
    return {"hotel_id": hotel_id, "nights": nights, "rooms": rooms, "currency": CURRENCY}


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
def get_price_hotel_booking(
    call: ToolCall, hotel_id: str, room_ids: list[str], check_in: IsoDate, check_out: IsoDate
) -> Result:
    """Price rooms for a stay, without booking them.

    Args:
        hotel_id: Hotel id.
        room_ids: Rooms from search_available_rooms.
        check_in: First night, YYYY-MM-DD.
        check_out: Day of departure, YYYY-MM-DD.
    """
    nights = _count_nights(check_in, check_out)
    stay = HotelStay(hotel_id, room_ids, check_in, check_out)
    rooms = [
        {"room_id": row["room_id"], "price_per_night": format_cents(row["price_cents"])}
        for row in _require_rooms(call, stay)
    ]
    return {
        "hotel_id": hotel_id,
        "nights": nights,
        "rooms": rooms,
        "total": format_cents(KINDS[KIND].total(call.tables, stay.items())),
        "currency": CURRENCY,
    }


@tool(owner=Owner.AGENT, type=ToolType.W, category=CATEGORY)
def book_hotel_with_rooms(
    call: ToolCall,
    customer_id: str,
    hotel_id: str,
    room_ids: list[str],
    check_in: IsoDate,
    check_out: IsoDate,
    guests: int,
) -> Result:
    """Book rooms for a stay. The booking is pending until it is charged, and cannot be cancelled.

    Args:
        customer_id: Customer id.
        hotel_id: Hotel id.
        room_ids: Rooms from search_available_rooms.
        check_in: First night, YYYY-MM-DD.
        check_out: Day of departure, YYYY-MM-DD.
        guests: How many people stay, in all rooms together.
    """
    require_customer(call, customer_id)
    stay = HotelStay(hotel_id, room_ids, check_in, check_out, guests)
    told = _check_stay(call, stay)
    return book(call, KINDS[KIND], customer_id, hotel_id, stay.items(), **told)


@tool(owner=Owner.AGENT, type=ToolType.W, category=CATEGORY)
def cancel_hotel_booking(call: ToolCall, booking_id: str) -> Result:
    """Cancel a hotel booking: its rooms are released, and what was charged is refunded.

    Args:
        booking_id: Booking id of a hotel booking.
    """
    return cancel(call, KINDS[KIND], booking_id)


@tool(owner=Owner.AGENT, type=ToolType.W, category=CATEGORY)
def modify_hotel_booking(
    call: ToolCall,
    booking_id: str,
    room_ids: list[str],
    check_in: IsoDate,
    check_out: IsoDate,
    guests: int,
) -> Result:
    """Change the rooms, dates or guests of a hotel booking that is not charged yet.

    Its total changes with them; what it holds now is free for it. What is charged already can only
    be cancelled and booked anew.

    Args:
        booking_id: Booking id of a pending hotel booking.
        room_ids: All its rooms from now on, of the same hotel.
        check_in: First night, YYYY-MM-DD.
        check_out: Day of departure, YYYY-MM-DD.
        guests: How many people stay, in all rooms together.
    """
    hotel_id = require_changeable(call, booking_id, KIND)["entity_id"]
    stay = HotelStay(hotel_id, room_ids, check_in, check_out, guests)
    told = _check_stay(call, stay, changed=booking_id)
    return rebook(call, KINDS[KIND], booking_id, stay.items(), **told)


def _check_stay(call: ToolCall, stay: HotelStay, changed: str | None = None) -> Result:
    """Return what is told of a stay, once it is seen to be possible."""
    nights = _count_nights(stay.check_in, stay.check_out)
    rooms = _require_rooms(call, stay, changed)
    _check_guests(stay.guests)
    places = sum(room["max_occupancy"] for room in rooms)
    if stay.guests > places:
        text = f"these rooms hold {places} people, not {shown(stay.guests)}; choose larger rooms"
        raise ToolCallError(ErrorCode.WRONG_PARTY, text)
    return {**stay._asdict(), "nights": nights}


def held_rooms(
    tables: BookingTables, check_in: str, check_out: str, changed: str | None = None
) -> set[str]:
    """Return the rooms that a pending or confirmed booking has on a night of the stay.

    The booking that is to be changed, if one is, is no obstacle to itself.
    """
    return {
        stay["room_id"]
        for stay in tables.rows("booking_rooms")
        if stay["check_in"] < check_out
        and check_in < stay["check_out"]
        and stay["booking_id"] != changed
        and (booking := tables.get("bookings", stay["booking_id"])) is not None
        and booking["status"] != BookingStatus.CANCELLED
    }


def _require_hotel(call: ToolCall, hotel_id: str) -> Row:
    return call.require("hotels", hotel_id, "hotel", "find hotels with search_hotels_by_city")


def _require_rooms(call: ToolCall, stay: HotelStay, changed: str | None = None) -> list[Row]:
    """Return the rooms, once they are seen to be the hotel's and free on every night."""
    _require_hotel(call, stay.hotel_id)
    if not stay.room_ids:
        text = "no rooms given; give room_ids from search_available_rooms"
        raise ToolCallError(ErrorCode.WRONG_PARTY, text)
    if len(set(stay.room_ids)) < len(stay.room_ids):
        text = "argument 'room_ids' names a room twice; name each room once"
        raise ToolCallError(ErrorCode.INVALID_ARGUMENTS, text)
    _, _, check_in, check_out, _ = stay
    rooms = []
    held = held_rooms(call.tables, check_in, check_out, changed)
    for room_id in stay.room_ids:
        room = call.tables.get("rooms", room_id)
        if room is None or room["hotel_id"] != stay.hotel_id:
            text = f"hotel {shown(stay.hotel_id)} has no room {shown(room_id)}"
            raise ToolCallError(ErrorCode.UNKNOWN_ID, f"{text}; see search_available_rooms")
        opens, closes = room["available_from"], room["available_until"]
        if check_in < opens or closes < check_out:
            text = (
                f"room {shown(room_id)} is available from {opens} until {closes},"
                f" not from {check_in} until {check_out}; choose other dates or another room"
            )
            raise ToolCallError(ErrorCode.WRONG_DATES, text)
        if room_id in held:
            text = f"room {shown(room_id)} is booked on some of these nights; choose another room"
            raise ToolCallError(ErrorCode.SOLD_OUT, text)
        rooms.append(room)
    return rooms


def _count_nights(check_in: str, check_out: str) -> int:
    nights = day_number(check_out) - day_number(check_in)
    if nights < 1:
        text = f"check_out {check_out} must be after check_in {check_in}"
        raise ToolCallError(ErrorCode.WRONG_DATES, text)
    return nights


def _check_guests(guests: int) -> None:
    if guests < 1:
        raise ToolCallError(ErrorCode.WRONG_PARTY, "argument 'guests' must be at least 1")


_PARITY = (
    search_hotels_by_city,
    search_available_rooms,
    get_price_hotel_booking,
    book_hotel_with_rooms,
)

_EXTENDED = (
    *_PARITY[:-1],
    replace(
        book_hotel_with_rooms,
        description="Book rooms for a stay. The booking is pending, and holds the rooms, until it"
        " is charged.",
    ),
    cancel_hotel_booking,
    modify_hotel_booking,
)

HOTEL_TOOLS = {Toolset.PARITY: _PARITY, Toolset.EXTENDED: _EXTENDED}
