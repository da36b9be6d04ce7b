"""What can be booked: the travel tables, the kinds of bookings, and the slots that they fill."""

from collections.abc import Mapping

from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.kind import Kind
from crab_graph.domains.travel.names import read_data
from crab_graph.tools.tables import PLATFORM_TABLES, PRIVATE_TABLES, Table

_TABLES = {
    name: Table(name, next(iter(columns)), columns)
    for name, columns in read_data("tables.toml").items()
}
TRAVEL_TABLES = tuple(_TABLES.values())
ALL_TABLES = (*PLATFORM_TABLES, *PRIVATE_TABLES, *TRAVEL_TABLES)

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
