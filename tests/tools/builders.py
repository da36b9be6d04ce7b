"""A small hand-made travel world, and an episode to call tools in."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from crab_graph.domain.contract import Domain
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.settings import Toolset
from crab_graph.tools.ledger import BookingTables, Ledger
from crab_graph.tools.registry import Owner, ToolOutcome
from crab_graph.tools.tables import Row, World

CUSTOMER, OTHER = "CU-20417", "CU-30999"
BIG_CARD, SMALL_CARD, OTHER_CARD = "CD-1001", "CD-1002", "CD-9001"
OTHER_METHOD = "PM-00000001"
OTHER_FLIGHT_BOOKING, OTHER_HOTEL_BOOKING = "BK-00000001", "BK-00000002"

OUT_EARLY, OUT_NOON, BACK, ELSEWHERE = "FL-10002", "FL-10001", "FL-20001", "FL-30001"
OUT_FARE, OUT_LAST_SEAT, OUT_SOLD_OUT = "FA-50001", "FA-50002", "FA-50003"
NOON_FARE, BACK_FARE, ELSEWHERE_FARE = "FA-50004", "FA-50005", "FA-50006"
HOTEL, HOTEL_AWAY = "HT-1001", "HT-2001"
ROOM, SMALL_ROOM, LATE_ROOM, AWAY_ROOM = "RM-10001", "RM-10002", "RM-10003", "RM-20001"
MUSEUM, SHOW, SOLD_OUT_TOUR, AWAY_MUSEUM = "AT-10001", "AT-10002", "AT-10003", "AT-20001"

ANA = {"passenger_name": "Ana Ruiz", "date_of_birth": "1990-04-02"}
LEO = {"passenger_name": "Leo Ruiz", "date_of_birth": "1988-11-23"}


def _table(columns: str, *rows: tuple[Any, ...]) -> list[Row]:
    names = columns.split()
    return [dict(zip(names, row, strict=True)) for row in rows]


def build_rows() -> dict[str, list[Row]]:
    may_3, may_6 = "2027-05-03", "2027-05-06"
    return {
        "customers": _table(
            "customer_id name email phone address date_of_birth",
            (OTHER, "Bo Field", "bo@example.com", "555-0199", "2 Elm St", "1970-01-01"),
            (CUSTOMER, "Ana Ruiz", "ana@example.com", "555-0101", "1 Oak St", "1990-04-02"),
        ),
        "payment_methods": _table(
            "payment_method_id customer_id card_id brand last4 is_default",
            (OTHER_METHOD, OTHER, OTHER_CARD, "Visa", "1111", True),
        ),
        "cards": _table(
            "card_id brand last4 limit_cents is_default",
            (BIG_CARD, "Visa", "4242", 100_000, True),
            (SMALL_CARD, "Mastercard", "5454", 35_000, False),
        ),
        "bookings": _table(
            "booking_id customer_id kind entity_id status total_cents",
            (OTHER_FLIGHT_BOOKING, OTHER, "flight", OUT_EARLY, "confirmed", 15_000),
            (OTHER_HOTEL_BOOKING, OTHER, "hotel", HOTEL, "confirmed", 9_000),
        ),
        "transactions": _table(
            "transaction_id booking_id customer_id payment_method_id kind amount_cents",
            ("TX-00000001", OTHER_FLIGHT_BOOKING, OTHER, OTHER_METHOD, "charge", 15_000),
            ("TX-00000002", OTHER_HOTEL_BOOKING, OTHER, OTHER_METHOD, "charge", 9_000),
        ),
        "airports": _table(
            "airport_code city name",
            ("PIT", "Pittsburgh", "Pittsburgh International"),
            ("ORD", "Chicago", "O'Hare International"),
            ("DEN", "Denver", "Denver International"),
        ),
        "flights": _table(
            "flight_id carrier origin destination departure_date departure_minute arrival_minute"
            " time_of_day",
            (OUT_EARLY, "Northbeam", "Chicago", "Pittsburgh", may_3, 455, 560, "morning"),
            (OUT_NOON, "Skylark", "Chicago", "Pittsburgh", may_3, 730, 835, "midday"),
            (BACK, "Northbeam", "Pittsburgh", "Chicago", may_6, 1080, 1185, "night"),
            (ELSEWHERE, "Skylark", "Chicago", "Denver", may_3, 480, 640, "morning"),
        ),
        "fares": _table(
            "fare_id flight_id seat_type seat_position fare_name price_cents available",
            (OUT_FARE, OUT_EARLY, "economy", "aisle", "Classic", 15_000, 3),
            (OUT_LAST_SEAT, OUT_EARLY, "economy", "window", "Classic", 15_500, 1),
            (OUT_SOLD_OUT, OUT_EARLY, "business", "aisle", "Classic", 40_000, 0),
            (NOON_FARE, OUT_NOON, "economy", "aisle", "Classic", 12_000, 4),
            (BACK_FARE, BACK, "economy", "aisle", "Classic", 14_000, 4),
            (ELSEWHERE_FARE, ELSEWHERE, "economy", "middle", "Classic", 9_900, 9),
        ),
        "hotels": _table(
            "hotel_id name city district stars",
            (HOTEL, "Juniper Court Hotel", "Pittsburgh", "Riverside", 4),
            (HOTEL_AWAY, "Summit Rest Inn", "Denver", "Old Town", 3),
        ),
        "rooms": _table(
            "room_id hotel_id room_type bed_type max_occupancy available_from nights_open"
            " available_until price_cents",
            (ROOM, HOTEL, "standard", "queen", 2, "2027-05-01", 9, "2027-05-10", 12_000),
            (SMALL_ROOM, HOTEL, "standard", "twin", 1, "2027-05-03", 3, "2027-05-06", 9_000),
            (LATE_ROOM, HOTEL, "suite", "king", 4, "2027-05-04", 6, "2027-05-10", 21_000),
            (AWAY_ROOM, HOTEL_AWAY, "deluxe", "king", 2, "2027-05-01", 9, "2027-05-10", 8_000),
        ),
        "attractions": _table(
            "attraction_id name city district category date time_of_day start_minute end_minute"
            " price_cents available",
            (
                SHOW,
                "Lantern Hall Revue",
                "Pittsburgh",
                "Riverside",
                "show",
                "2027-05-05",
                "evening",
                1080,
                1320,
                6_500,
                5,
            ),
            (
                MUSEUM,
                "Riverside Glass Museum",
                "Pittsburgh",
                "Riverside",
                "museum",
                "2027-05-04",
                "morning",
                540,
                720,
                3_500,
                4,
            ),
            (
                SOLD_OUT_TOUR,
                "Old Bridge Tour",
                "Pittsburgh",
                "Northside",
                "tour",
                "2027-05-04",
                "all-day",
                0,
                1439,
                4_200,
                0,
            ),
            (
                AWAY_MUSEUM,
                "Copper Mine Museum",
                "Denver",
                "Old Town",
                "museum",
                "2027-05-04",
                "morning",
                540,
                720,
                1_800,
                6,
            ),
        ),
        "booked_fares": _table(
            "item_key booking_id fare_id passenger_name date_of_birth",
            ("BK-00000001/1", OTHER_FLIGHT_BOOKING, OUT_FARE, "Bo Field", "1970-01-01"),
        ),
        "booked_rooms": _table(
            "item_key booking_id room_id check_in check_out guests",
            ("BK-00000002/1", OTHER_HOTEL_BOOKING, ROOM, "2027-05-08", "2027-05-09", 1),
        ),
    }


def build_world(task_id: str = "S1-001", rows: Mapping[str, Iterable[Row]] | None = None) -> World:
    return World(
        task_id=task_id,
        today="2027-04-20",
        customer_id=CUSTOMER,
        schema=TRAVEL.tables,
        rows=rows or build_rows(),
    )


def world_with(**changes: Callable[[list[Row]], list[Row]]) -> World:
    """Return the small world with other rows in some tables, made of those it has."""
    rows = build_rows()
    return build_world(
        rows={**rows, **{table: made(rows[table]) for table, made in changes.items()}}
    )


def listed(result: dict[str, Any], name: str) -> list[Row]:
    """Return the rows of a list in a result, by column; those within rows likewise."""
    columns, rows = result[name]["columns"], result[name]["rows"]
    within = [key for key in result[name] if key not in ("columns", "rows")]
    found = _table(" ".join(columns), *rows)
    for key in within:
        for row in found:
            row[columns[-1]] = _table(" ".join(result[name][key]), *row[columns[-1]])
    return found


class Episode:
    """Calls tools on a world, keeping the events of those that succeed."""

    def __init__(
        self,
        world: World | None = None,
        toolset: Toolset = Toolset.PARITY,
        domain: Domain = TRAVEL,
    ) -> None:
        self.registry = domain.with_toolset(toolset).registry()
        self.ledger = Ledger.fold(world or build_world())

    def call(self, owner: Owner, name: str, arguments: Any) -> ToolOutcome:
        outcome = self.registry.call(self.ledger, owner, name, arguments)
        self.ledger = self.ledger.extended(outcome.events)
        return outcome

    def agent(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        return _result(self.call(Owner.AGENT, name, arguments))

    def user(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        return _result(self.call(Owner.USER, name, arguments))

    def agent_error(self, name: str, /, **arguments: Any) -> tuple[str, str]:
        return _error(self.call(Owner.AGENT, name, arguments))

    def user_error(self, name: str, /, **arguments: Any) -> tuple[str, str]:
        return _error(self.call(Owner.USER, name, arguments))

    def book_outbound(self, fare_id: str = OUT_FARE, flight_id: str = OUT_EARLY) -> str:
        seats = [{"fare_id": fare_id, **ANA}, {"fare_id": fare_id, **LEO}]
        arguments = {"customer_id": CUSTOMER, "flight_id": flight_id, "seats": seats}
        return str(self.agent("book_flight_with_seats", **arguments)["booking_id"])

    def book_room(
        self, check_in: str = "2027-05-03", check_out: str = "2027-05-06", room_id: str = ROOM
    ) -> str:
        stay = {"check_in": check_in, "check_out": check_out, "guests": 2}
        arguments = {"customer_id": CUSTOMER, "hotel_id": HOTEL, "room_ids": [room_id], **stay}
        return str(self.agent("book_hotel_with_rooms", **arguments)["booking_id"])

    def add_card(self, card_id: str = BIG_CARD) -> str:
        result = self.user("add_payment_method_to_platform", card_id=card_id)
        return str(result["payment_method_id"])

    def available(self, table: str, key: str) -> int:
        return available(self.ledger, table, key)


def available(tables: BookingTables, table: str, key: str) -> int:
    row = tables.get(table, key)
    if row is None:
        raise LookupError(key)
    return int(row["available"])


def _result(outcome: ToolOutcome) -> dict[str, Any]:
    if outcome.result is None:
        raise LookupError(outcome.content)
    return outcome.result


def _error(outcome: ToolOutcome) -> tuple[str, str]:
    if outcome.error is None or (outcome.events and outcome.is_own_error):
        raise LookupError(outcome.content)
    return outcome.error["error"], outcome.error["message"]
