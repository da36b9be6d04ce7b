"""The agent's attraction tools (paper table 6, category Attractions)."""

from dataclasses import replace
from operator import itemgetter
from typing import Literal

from crab_graph.dates import clock_time
from crab_graph.domain.kind import book, cancel, held_by, rebook
from crab_graph.domains.travel.offers import KINDS
from crab_graph.domains.travel.tools.flights import resolve_city
from crab_graph.errors import ToolCallError
from crab_graph.money import CURRENCY, format_cents
from crab_graph.settings import Toolset
from crab_graph.tools.arguments import IsoDate, shown
from crab_graph.tools.bookings import require_changeable, require_customer
from crab_graph.tools.registry import ErrorCode, Owner, Result, ToolCall, ToolType, tool
from crab_graph.tools.tables import Row

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
    wanted = (row for row in rows if row["available"] > 0 and category in (None, row["category"]))
    listed = sorted(wanted, key=itemgetter("date", "start_minute", "attraction_id"))
    attractions = [
        {
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
        for row in listed
    ]
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
    item = _require_tickets(call, attraction_id, tickets)
    return book(call, KINDS[KIND], customer_id, attraction_id, [item], **item)


@tool(owner=Owner.AGENT, type=ToolType.W, category=CATEGORY)
def cancel_attraction_booking(call: ToolCall, booking_id: str) -> Result:
    """Cancel an attraction booking: its tickets are released, and what was charged is refunded.

    Args:
        booking_id: Booking id of an attraction booking.
    """
    return cancel(call, KINDS[KIND], booking_id)


@tool(owner=Owner.AGENT, type=ToolType.W, category=CATEGORY)
def modify_attraction_booking(call: ToolCall, booking_id: str, tickets: int) -> Result:
    """Change the number of tickets of an attraction booking that is not charged yet.

    Its total changes with them; what it holds now is free for it. What is charged already can only
    be cancelled and booked anew.

    Args:
        booking_id: Booking id of a pending attraction booking.
        tickets: How many tickets from now on, one for each traveller.
    """
    attraction_id = require_changeable(call, booking_id, KIND)["entity_id"]
    held = held_by(call.tables, KINDS[KIND], booking_id)
    item = _require_tickets(call, attraction_id, tickets, held.total())
    return rebook(call, KINDS[KIND], booking_id, [item], **item)


def _require_tickets(call: ToolCall, attraction_id: str, tickets: int, held: int = 0) -> Row:
    """Return what a booking of tickets holds, once so many are seen to be left.

    `held` is what the booking to be changed takes now, which is free for itself.
    """
    hint = "find attractions with search_attractions_by_city"
    attraction = call.require("attractions", attraction_id, "attraction", hint)
    if tickets < 1:
        raise ToolCallError(ErrorCode.WRONG_PARTY, "argument 'tickets' must be at least 1")
    left = attraction["available"] + held
    if tickets > left:
        text = (
            f"attraction {shown(attraction_id)} has {left}"
            f" tickets left, not {shown(tickets)}; choose another attraction"
        )
        raise ToolCallError(ErrorCode.SOLD_OUT, text)
    return {"attraction_id": attraction_id, "tickets": tickets}


_PARITY = (search_attractions_by_city, book_attraction)

_EXTENDED = (
    *_PARITY[:-1],
    replace(
        book_attraction,
        description="Book tickets. The booking is pending, and holds the tickets, until it is"
        " charged.",
    ),
    cancel_attraction_booking,
    modify_attraction_booking,
)

ATTRACTION_TOOLS = {Toolset.PARITY: _PARITY, Toolset.EXTENDED: _EXTENDED}
