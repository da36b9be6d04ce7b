"""The agent's attraction tools (paper table 6, category Attractions)."""

from typing import Literal

from crab_graph.dates import clock_time
from crab_graph.domains.travel.tools.places import resolve_city
from crab_graph.errors import ToolCallError
from crab_graph.money import CURRENCY, format_cents
from crab_graph.tools.arguments import IsoDate, shown
from crab_graph.tools.bookings import booked, open_booking, require_customer
from crab_graph.tools.tables import Row
from crab_graph.tools.tool import ErrorCode, Owner, Result, ToolCall, ToolType, tool

CATEGORY = "Attractions"
KIND = "attraction"

Category = Literal["museum", "tour", "show"]


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
def search_attractions_by_city(
    call: ToolCall, city: str, date: IsoDate | None = None, category: Category | None = None
) -> Result:
    """List the attractions of a city that have tickets left. Date and category keep the list short.

    Args:
        city: Name of the city.
        date: Only this day, YYYY-MM-DD.
        category: Only this category.
    """
    name = resolve_city(call, city)
    if date is None:
        rows = call.tables.find("attractions", "city", name)
    else:
        on_day = call.tables.find("attractions", "date", date)
        rows = tuple(row for row in on_day if row["city"] == name)
    listed = sorted(
        (row["date"], row["start_minute"], row["attraction_id"], row)
        for row in rows
        if row["available"] > 0 and category in (None, row["category"])
    )
    attractions = call.world.show("attractions", [row for *_, row in listed], _show_attraction)
    return {"city": name, "attractions": attractions, "currency": CURRENCY}


@tool(owner=Owner.AGENT, type=ToolType.W, category=CATEGORY)
def book_attraction(call: ToolCall, customer_id: str, attraction_id: str, tickets: int) -> Result:
    """Book tickets. The booking is pending until it is charged, and cannot be cancelled.

    Args:
        customer_id: Customer id.
        attraction_id: Attraction id.
        tickets: How many tickets, one for each traveller.
    """
    require_customer(call, customer_id)
    hint = "find attractions with search_attractions_by_city"
    attraction = call.require("attractions", attraction_id, "attraction", hint)
    _check_tickets(attraction, tickets)
    total_cents = attraction["price_cents"] * tickets
    booking_id = open_booking(
        call, customer_id=customer_id, kind=KIND, entity_id=attraction_id, total_cents=total_cents
    )
    ticket_key = f"{booking_id}/1"
    row = {
        "ticket_key": ticket_key,
        "booking_id": booking_id,
        "attraction_id": attraction_id,
        "tickets": tickets,
    }
    call.insert("booking_tickets", ticket_key, row)
    call.add("attractions", attraction_id, "available", -tickets)
    return booked(booking_id, total_cents, attraction_id=attraction_id, tickets=tickets)


def _check_tickets(attraction: Row, tickets: int) -> None:
    if tickets < 1:
        raise ToolCallError(ErrorCode.WRONG_PARTY, "argument 'tickets' must be at least 1")
    if tickets > attraction["available"]:
        text = (
            f"attraction {shown(attraction['attraction_id'])} has {attraction['available']}"
            f" tickets left, not {shown(tickets)}; choose another attraction"
        )
        raise ToolCallError(ErrorCode.SOLD_OUT, text)


def _show_attraction(row: Row) -> Result:
    return {
        "attraction_id": row["attraction_id"],
        "name": row["name"],
        "category": row["category"],
        "district": row["district"],
        "starts": f"{row['date']}T{clock_time(row['start_minute'])}",
        "ends": f"{row['date']}T{clock_time(row['end_minute'])}",
        "time_of_day": row["time_of_day"],
        "price_per_ticket": format_cents(row["price_cents"]),
        "available": row["available"],
    }


ATTRACTION_TOOLS = (search_attractions_by_city, book_attraction)
