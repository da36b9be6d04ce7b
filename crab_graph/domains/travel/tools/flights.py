"""The agent's flight tools (paper table 6, category Flights), and places as callers write them."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Annotated

from pydantic import Field

from crab_graph.dates import clock_time
from crab_graph.domain.kind import book, cancel, held_by, rebook
from crab_graph.domains.travel.offers import KINDS
from crab_graph.errors import ToolCallError
from crab_graph.money import CURRENCY, format_cents
from crab_graph.settings import Toolset
from crab_graph.tools.arguments import IsoDate, Text, ToolArguments, shown
from crab_graph.tools.bookings import require_booking_of, require_changeable, require_customer
from crab_graph.tools.registry import ErrorCode, Owner, Result, ToolCall, ToolType, tool
from crab_graph.tools.tables import Row, picked


def resolve_airport(call: ToolCall, place: str) -> str:
    """Return the code of an airport that is given by its code or by its city.

    Raises:
        ToolCallError: no airport is called so, or the city has several.
    """
    if call.tables.get("airports", place) is not None:
        return place
    wanted = place.casefold()
    codes: list[str] = [
        row["airport_code"]
        for row in call.tables.rows("airports")
        if wanted in (row["airport_code"].casefold(), row["city"].casefold())
    ]
    if not codes:
        text = f"there is no airport or city {shown(place)}; list them with list_all_airports"
        raise ToolCallError(ErrorCode.UNKNOWN_ID, text)
    if len(codes) > 1:
        text = f"{shown(place)} has several airports; give one of {', '.join(codes)}"
        raise ToolCallError(ErrorCode.AMBIGUOUS, text)
    return codes[0]


def resolve_city(call: ToolCall, place: str) -> str:
    """Return a city by its name, whatever its case.

    Raises:
        ToolCallError: there is no such city.
    """
    wanted = place.casefold()
    for row in call.tables.rows("airports"):
        if row["city"].casefold() == wanted:
            city: str = row["city"]
            return city
    text = f"there is no city {shown(place)}; list the cities with list_all_airports"
    raise ToolCallError(ErrorCode.UNKNOWN_ID, text)


CATEGORY = "Flights"
KIND = "flight"
_FARE = ("fare_id", "seat_type", "seat_position")

_FareId = Annotated[str, Field(description="fare_id from search_available_seats, the same for all")]


class PricedSeat(ToolArguments):
    """One traveller's seat, to be priced."""

    fare_id: _FareId
    passenger_name: Text | None = None
    date_of_birth: IsoDate | None = None


class PassengerSeat(ToolArguments):
    """One traveller's seat, to be booked."""

    fare_id: _FareId
    passenger_name: Text
    date_of_birth: IsoDate


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
def list_all_airports(call: ToolCall) -> Result:
    """List all airports with their codes and cities."""
    return {"airports": [dict(row) for row in call.tables.rows("airports")]}


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
def search_flights_by_route(call: ToolCall, origin: str, destination: str, date: IsoDate) -> Result:
    """List the flights of one day between two airports. Prices: search_available_seats.

    Args:
        origin: Airport code or city of departure.
        destination: Airport code or city of arrival.
        date: Departure date, YYYY-MM-DD.
    """
    route = (resolve_airport(call, origin), resolve_airport(call, destination))
    of_day = call.tables.find("flights", "departure_date", date)
    flights = [row for row in of_day if (row["origin"], row["destination"]) == route]
    shown = [
        picked(row, "flight_id", "carrier") | _times(row) | picked(row, "time_of_day")
        for row in sorted(flights, key=itemgetter("departure_minute", "flight_id"))
    ]
    return {"origin": route[0], "destination": route[1], "flights": shown}


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
def search_available_seats(call: ToolCall, flight_id: str) -> Result:
    """List a flight's fares that have seats left: seat type, seat position, price per seat.

    Args:
        flight_id: Flight id.
    """
    _require_flight(call, flight_id)
    rows = call.tables.find("fares", "flight_id", flight_id)
    fares = [
        {
            "fare_id": row["fare_id"],
            "seat_type": row["seat_type"],
            "seat_position": row["seat_position"],
            "price": format_cents(row["price_cents"]),
            "available": row["available"],
        }
        for row in rows
        if row["available"] > 0
    ]
    return {"flight_id": flight_id, "fares": fares, "currency": CURRENCY}


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
def get_price_airline_booking(call: ToolCall, flight_id: str, seats: list[PricedSeat]) -> Result:
    """Price seats on a flight, without booking them.

    Args:
        flight_id: Flight id.
        seats: One entry for each traveller, all with one fare_id.
    """
    fare = _require_seats(call, flight_id, [seat.fare_id for seat in seats])
    return {
        "flight_id": flight_id,
        "fare_id": fare["fare_id"],
        "seats": len(seats),
        "price": format_cents(fare["price_cents"]),
        "total": format_cents(KINDS[KIND].total(call.tables, _items(seats))),
        "currency": CURRENCY,
    }


@tool(owner=Owner.AGENT, type=ToolType.W, category=CATEGORY)
def book_flight_with_seats(
    call: ToolCall, customer_id: str, flight_id: str, seats: list[PassengerSeat]
) -> Result:
    """Book seats on a flight. The booking is pending, and holds the seats, until it is charged.

    Args:
        customer_id: Customer id.
        flight_id: Flight id.
        seats: One entry for each traveller, all with one fare_id.
    """
    require_customer(call, customer_id)
    fare = _require_seats(call, flight_id, [seat.fare_id for seat in seats])
    return book(call, KINDS[KIND], customer_id, flight_id, _items(seats), **_told(fare, seats))


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
def get_flight_booking_details(call: ToolCall, booking_id: str) -> Result:
    """Show a flight booking with its flight and its travellers.

    Args:
        booking_id: Booking id of a flight booking.
    """
    booking = require_booking_of(call, booking_id, KIND)
    flight = _require_flight(call, booking["entity_id"])
    seats = [
        picked(call.world.tables["fares"][row["fare_id"]], *_FARE)
        | picked(row, "passenger_name", "date_of_birth")
        for row in call.tables.find("booking_seats", "booking_id", booking_id)
    ]
    return {
        **picked(booking, "booking_id", "customer_id", "status"),
        **picked(flight, "flight_id", "carrier", "origin", "destination"),
        **_times(flight),
        "time_of_day": flight["time_of_day"],
        "seats": seats,
        "total": format_cents(booking["total_cents"]),
        "currency": CURRENCY,
    }


@tool(owner=Owner.AGENT, type=ToolType.W, category=CATEGORY)
def cancel_flight(call: ToolCall, booking_id: str) -> Result:
    """Cancel a flight booking: its seats are released, and what was charged is refunded.

    Args:
        booking_id: Booking id of a flight booking.
    """
    return cancel(call, KINDS[KIND], booking_id)


@tool(owner=Owner.AGENT, type=ToolType.W, category=CATEGORY)
def modify_flight_seats(call: ToolCall, booking_id: str, seats: list[PassengerSeat]) -> Result:
    """Change the seats of a flight booking that is not charged yet: fare, travellers, or number.

    Its total changes with them; what it holds now is free for it. What is charged already can only
    be cancelled and booked anew.

    Args:
        booking_id: Booking id of a pending flight booking.
        seats: All its seats from now on, one entry for each traveller, all with one fare_id.
    """
    flight_id = require_changeable(call, booking_id, KIND)["entity_id"]
    held = held_by(call.tables, KINDS[KIND], booking_id)
    fare = _require_seats(call, flight_id, [seat.fare_id for seat in seats], held)
    return rebook(call, KINDS[KIND], booking_id, _items(seats), **_told(fare, seats))


def _require_flight(call: ToolCall, flight_id: str) -> Row:
    return call.require("flights", flight_id, "flight", "find flights with search_flights_by_route")


def _require_seats(
    call: ToolCall,
    flight_id: str,
    fare_ids: Sequence[str],
    held: Mapping[str, int] | None = None,
) -> Row:
    """Return the one fare of all seats, once the flight is seen to have that many left.

    `held` is what the booking to be changed takes of each fare now, which is free for itself.
    """
    _require_flight(call, flight_id)
    if not fare_ids:
        text = "no seats given; give one entry for each traveller"
        raise ToolCallError(ErrorCode.WRONG_PARTY, text)
    if len(set(fare_ids)) > 1:
        text = "the seats of one booking must all have the same fare_id; book one fare for all"
        raise ToolCallError(ErrorCode.MIXED_OFFERS, text)
    fare = call.tables.get("fares", fare_ids[0])
    if fare is None or fare["flight_id"] != flight_id:
        text = f"flight {shown(flight_id)} has no fare {shown(fare_ids[0])}"
        raise ToolCallError(ErrorCode.UNKNOWN_ID, f"{text}; see search_available_seats")
    left = fare["available"] + (held or {}).get(fare_ids[0], 0)
    if left < len(fare_ids):
        text = (
            f"fare {shown(fare_ids[0])} has {left} seats left, not {len(fare_ids)};"
            " choose another fare or flight"
        )
        raise ToolCallError(ErrorCode.SOLD_OUT, text)
    return fare


def _items(seats: Sequence[ToolArguments]) -> list[Row]:
    return [seat.model_dump() for seat in seats]


def _told(fare: Row, seats: Sequence[PassengerSeat]) -> Row:
    return {"flight_id": fare["flight_id"], "fare_id": fare["fare_id"], "seats": len(seats)}


def _times(flight: Row) -> dict[str, str]:
    day = flight["departure_date"]
    return {
        "departs": f"{day}T{clock_time(flight['departure_minute'])}",
        "arrives": f"{day}T{clock_time(flight['arrival_minute'])}",
    }


_PARITY = (
    list_all_airports,
    search_flights_by_route,
    get_flight_booking_details,
    get_price_airline_booking,
    search_available_seats,
    book_flight_with_seats,
    cancel_flight,
)

FLIGHT_TOOLS = {Toolset.PARITY: _PARITY, Toolset.EXTENDED: (*_PARITY, modify_flight_seats)}
