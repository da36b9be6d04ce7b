"""A hand-made task of few rows, and scripts of episodes that tell the truth unless told not to.

One trip is right: `OUT`, `BACK`, a stay in `ROOM` from 3 to 6 May, `MUSEUM`. Every other offer
breaks what its name says and nothing else.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from crab_graph.domains.task import Task, TaskSpec
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.replay import replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verdict import Verdict, grade
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.generation.certify import Certificate
from crab_graph.money import format_dollars
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.registry import Owner
from crab_graph.tools.tables import Row

CUSTOMER, OTHER = "CU-20417", "CU-30999"
CARD, SMALL_CARD, OTHER_METHOD = "CD-1001", "CD-1002", "PM-00000001"
OUT, BACK, HOTEL, ROOM, MUSEUM = "FL-10001", "FL-20001", "HT-1001", "RM-10001", "AT-10001"
OUT_MIDDAY, OUT_NEXT_DAY, OUT_SPARE = "FL-10002", "FL-10003", "FL-10004"
BACK_NIGHT, BACK_NEXT_DAY, BACK_OTHER_CARRIER = "FL-20002", "FL-20003", "FL-20004"
ELSEWHERE = "FL-30001"
ANNEX, ANNEX_ROOM, SMALL_ROOM, LATE_ROOM = "HT-1002", "RM-10002", "RM-10003", "RM-10004"
SHOW, MUSEUM_AFAR, MUSEUM_ALL_DAY = "AT-10002", "AT-10003", "AT-10004"
NAMES = {
    HOTEL: "Juniper Court",
    ANNEX: "Juniper Court Annex",
    MUSEUM: "Riverside Glass Museum",
    SHOW: "Lantern Hall Revue",
    MUSEUM_AFAR: "Hilltop Clock Museum",
    MUSEUM_ALL_DAY: "Old Bridge Museum",
}
ANA = {"passenger_name": "Ana Ruiz", "date_of_birth": "1990-04-02"}
LEO = {"passenger_name": "Leo Ruiz", "date_of_birth": "1988-11-23"}
NIGHTS = 3
FARES = {
    OUT: ("FA-50001", 150_00),
    OUT_MIDDAY: ("FA-50002", 120_00),
    OUT_NEXT_DAY: ("FA-50003", 130_00),
    OUT_SPARE: ("FA-50004", 135_00),
    BACK: ("FA-60001", 140_00),
    BACK_NIGHT: ("FA-60002", 110_00),
    BACK_NEXT_DAY: ("FA-60003", 125_00),
    BACK_OTHER_CARRIER: ("FA-60004", 115_00),
    ELSEWHERE: ("FA-70001", 99_00),
}
TICKETS = {MUSEUM: 35_00, SHOW: 30_00, MUSEUM_AFAR: 25_00, MUSEUM_ALL_DAY: 20_00}
ROOM_PRICES = {ROOM: 120_00, ANNEX_ROOM: 80_00, SMALL_ROOM: 70_00, LATE_ROOM: 90_00}


def _table(columns: str, *rows: Sequence[Any]) -> list[Row]:
    names = columns.split()
    return [dict(zip(names, row, strict=True)) for row in rows]


def build_rows() -> dict[str, list[Row]]:
    flights = (
        (OUT, "Northbeam", "Chicago", "Pittsburgh", "2027-05-03", 455, 560, "morning"),
        (OUT_MIDDAY, "Northbeam", "Chicago", "Pittsburgh", "2027-05-03", 730, 835, "midday"),
        (OUT_SPARE, "Northbeam", "Chicago", "Pittsburgh", "2027-05-03", 740, 845, "midday"),
        (OUT_NEXT_DAY, "Northbeam", "Chicago", "Pittsburgh", "2027-05-04", 455, 500, "morning"),
        (BACK, "Northbeam", "Pittsburgh", "Chicago", "2027-05-06", 780, 885, "midday"),
        (BACK_NIGHT, "Northbeam", "Pittsburgh", "Chicago", "2027-05-06", 1200, 1300, "night"),
        (BACK_NEXT_DAY, "Northbeam", "Pittsburgh", "Chicago", "2027-05-07", 780, 885, "midday"),
        (BACK_OTHER_CARRIER, "Skylark", "Pittsburgh", "Chicago", "2027-05-06", 790, 890, "midday"),
        (ELSEWHERE, "Northbeam", "Chicago", "Denver", "2027-05-03", 455, 560, "morning"),
    )
    return {
        "customers": _table(
            "customer_id name email phone address date_of_birth",
            (CUSTOMER, "Ana Ruiz", "ana@example.com", "555-0101", "1 Oak St", "1990-04-02"),
            (OTHER, "Bo Field", "bo@example.com", "555-0199", "2 Elm St", "1970-01-01"),
        ),
        "payment_methods": _table(
            "payment_method_id customer_id card_id brand last4 is_default",
            (OTHER_METHOD, OTHER, "CD-9001", "Visa", "1111", True),
        ),
        "cards": _table(
            "card_id brand last4 limit_cents is_default",
            (CARD, "Visa", "4242", 900_000, True),
            (SMALL_CARD, "Mastercard", "5454", 10_000, False),
        ),
        "bookings": _table(
            "booking_id customer_id kind entity_id status total_cents",
            ("BK-00000001", OTHER, "flight", OUT, "confirmed", 150_00),
        ),
        "booked_fares": _table(
            "item_key booking_id fare_id passenger_name date_of_birth",
            ("BK-00000001/1", "BK-00000001", FARES[OUT][0], "Bo Field", "1970-01-01"),
        ),
        "transactions": _table(
            "transaction_id booking_id customer_id payment_method_id kind amount_cents",
            ("TX-00000001", "BK-00000001", OTHER, OTHER_METHOD, "charge", 150_00),
        ),
        "airports": _table(
            "airport_code city name",
            ("ORD", "Chicago", "O'Hare"),
            ("PIT", "Pittsburgh", "Pittsburgh International"),
            ("DEN", "Denver", "Denver International"),
        ),
        "flights": _table(
            "flight_id carrier origin destination departure_date departure_minute arrival_minute"
            " time_of_day",
            *flights,
        ),
        "fares": _table(
            "fare_id flight_id seat_type seat_position fare_name price_cents available",
            *(
                (fare, flight, "economy", "aisle", "Classic", price, 9)
                for flight, (fare, price) in FARES.items()
            ),
        ),
        "hotels": _table(
            "hotel_id name city district stars",
            (HOTEL, NAMES[HOTEL], "Pittsburgh", "Riverside", 4),
            (ANNEX, NAMES[ANNEX], "Pittsburgh", "Riverside", 2),
        ),
        "rooms": _table(
            "room_id hotel_id room_type bed_type max_occupancy available_from nights_open"
            " available_until price_cents",
            (ROOM, HOTEL, "standard", "queen", 2, "2027-05-01", 9, "2027-05-10", 120_00),
            (ANNEX_ROOM, ANNEX, "standard", "queen", 2, "2027-05-01", 9, "2027-05-10", 80_00),
            (SMALL_ROOM, HOTEL, "standard", "queen", 1, "2027-05-01", 9, "2027-05-10", 70_00),
            (LATE_ROOM, HOTEL, "standard", "queen", 2, "2027-05-04", 6, "2027-05-10", 90_00),
        ),
        "attractions": _table(
            "attraction_id name city district category date time_of_day start_minute end_minute"
            " price_cents available",
            _attraction(MUSEUM, "Riverside", "museum", "morning", 540, 720),
            _attraction(SHOW, "Riverside", "show", "evening", 1080, 1320),
            _attraction(MUSEUM_AFAR, "Hilltop", "museum", "morning", 540, 720),
            (
                *(MUSEUM_ALL_DAY, NAMES[MUSEUM_ALL_DAY], "Pittsburgh", "Riverside", "museum"),
                *("2027-05-03", "all-day", 0, 1439, TICKETS[MUSEUM_ALL_DAY], 9),
            ),
        ),
    }


def _attraction(
    key: str, district: str, category: str, part: str, start: int, end: int
) -> tuple[Any, ...]:
    where = (key, NAMES[key], "Pittsburgh", district, category)
    return (*where, "2027-05-04", part, start, end, TICKETS[key], 9)


REQUEST = {
    "origin": "Chicago",
    "destination": "Pittsburgh",
    "first_day": "2027-05-03",
    "last_day": "2027-05-03",
    "nights": NIGHTS,
    "party_size": 2,
    "outbound_time_of_day": "morning",
    "return_time_of_day": "midday",
    "seat_type": "economy",
    "seat_position": "aisle",
    "hotel_stars": 3,
    "attraction_category": "museum",
    "budget_cents": 1_500_00,
    "same_carrier": True,
    "same_district": True,
}
PROFILE = {
    "customer_id": CUSTOMER,
    "email": "ana@example.com",
    "people": [
        {"name": "Ana Ruiz", "date_of_birth": "1990-04-02"},
        {"name": "Leo Ruiz", "date_of_birth": "1988-11-23"},
    ],
    "payment_card": {"card_id": CARD, "brand": "Visa", "last4": "4242"},
}
RIGHT_CENTS = 1_010_00
"""What the right trip costs."""
STAY = {"check_in": "2027-05-03", "check_out": "2027-05-06"}


def build_task(rows: Mapping[str, list[Row]] | None = None, **request: Any) -> Task:
    solution = {
        "outbound": {"flight_id": OUT, "fare_id": FARES[OUT][0]},
        "return": {"flight_id": BACK, "fare_id": FARES[BACK][0]},
        "hotel": {"hotel_id": HOTEL, "room_id": ROOM, **STAY},
        "attraction": {"attraction_id": MUSEUM},
    }
    wanted = {**REQUEST, **request}
    is_within = wanted["budget_cents"] is None or wanted["budget_cents"] >= RIGHT_CENTS
    spec = TaskSpec(
        id="S1-001",
        domain="travel",
        stratum=1,
        seed=0,
        today="2027-04-01",
        request=wanted,
        profile=PROFILE,
        solutions=(solution,) if is_within else (),
        node_distractors=0,
        edge_distractors=0,
        active_edges=(),
        certificate=Certificate(expected=1, sql=1, arrays=1, search=1),
        rows_sha256="",
    )
    return Task(spec, TRAVEL, lambda: dict(rows or build_rows()))


@cache
def small_task() -> Task:
    return build_task()


@dataclass(frozen=True)
class Item:
    """One thing to book: its tool call, what it costs, and how it is told."""

    slot: str
    entity_id: str
    arguments: Mapping[str, Any]
    tool: str
    unit_cents: int
    units: int
    unit: str

    @property
    def cents(self) -> int:
        return self.unit_cents * self.units

    def told(self) -> str:
        name = f"{NAMES[self.entity_id]} ({self.entity_id})" if self.entity_id in NAMES else ""
        unit, whole = format_dollars(self.unit_cents), format_dollars(self.cents)
        priced = f"{unit} per {self.unit}, {whole} for {self.units} {self.unit}s"
        return f"- {self.slot.title()}: {name or self.entity_id}, {priced}"


def flight(slot: str, flight_id: str, seats: Sequence[Mapping[str, str]] = (ANA, LEO)) -> Item:
    fare, price = FARES[flight_id]
    taken = [{"fare_id": fare, **seat} for seat in seats]
    arguments = {"customer_id": CUSTOMER, "flight_id": flight_id, "seats": taken}
    return Item(
        slot, flight_id, arguments, "book_flight_with_seats", price, len(taken), "passenger"
    )


def hotel(hotel_id: str = HOTEL, room: str = ROOM, nights: int = NIGHTS, **stay: str) -> Item:
    named = {"customer_id": CUSTOMER, "hotel_id": hotel_id, "room_ids": [room]}
    arguments = {**named, **STAY, **stay, "guests": 1 if room == SMALL_ROOM else 2}
    price = ROOM_PRICES[room]
    return Item("hotel", hotel_id, arguments, "book_hotel_with_rooms", price, nights, "night")


def attraction(attraction_id: str = MUSEUM, tickets: int = 2) -> Item:
    arguments = {"customer_id": CUSTOMER, "attraction_id": attraction_id, "tickets": tickets}
    price = TICKETS[attraction_id]
    return Item("attraction", attraction_id, arguments, "book_attraction", price, tickets, "ticket")


def right_items() -> dict[str, Item]:
    return {
        "outbound": flight("outbound", OUT),
        "return": flight("return", BACK),
        "hotel": hotel(),
        "attraction": attraction(),
    }


@dataclass
class Script:
    """Writes a transcript and runs its calls, so that later lines can name the ids they made."""

    task: Task = field(default_factory=small_task)
    messages: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ledger = Ledger.fold(self.task.world)

    def agent(self, text: str) -> None:
        self.messages.append({"role": "assistant", "content": text})

    def user(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def call(self, name: str, owner: Owner = Owner.AGENT, **arguments: Any) -> dict[str, Any]:
        call_id = f"call_{len(self.messages)}"
        role = "assistant" if owner is Owner.AGENT else "user"
        calls = [{"id": call_id, "name": name, "arguments": arguments}]
        self.messages.append(
            {"role": role, "owner": str(owner), "content": "", "tool_calls": calls}
        )
        outcome = self.task.domain.registry().call(self.ledger, owner, name, arguments)
        self.ledger = self.ledger.extended(outcome.events)
        self.messages.append(
            {
                "role": "tool",
                "owner": str(owner),
                "tool_call_id": call_id,
                "content": outcome.content,
            }
        )
        answer: dict[str, Any] = json.loads(outcome.content)
        return answer

    def book(self, item: Item) -> str:
        booked = self.call(item.tool, **item.arguments)
        assert "booking_id" in booked, booked
        return str(booked["booking_id"])

    def add_card(self, card_id: str = CARD) -> str:
        added = self.call("add_payment_method_to_platform", Owner.USER, card_id=card_id)
        return str(added["payment_method_id"])

    def approve(self, booking_id: str, method: str, amount: int) -> None:
        approved = self.call(
            "record_payment_approval",
            Owner.USER,
            booking_id=booking_id,
            payment_method_id=method,
            amount=f"{amount / 100:.2f}",
        )
        assert "approval_id" in approved, approved

    def charge(self, booking_id: str, method: str) -> dict[str, Any]:
        return self.call("charge_booking", booking_id=booking_id, payment_method_id=method)


@dataclass(frozen=True)
class Plan:
    """How an episode goes; by default all is right, told in full and passes both gradings."""

    items: tuple[Item, ...] = tuple(right_items().values())
    surplus: tuple[Item, ...] = ()
    proposal: str | None = None
    consent: str = "Yes, go ahead."
    reserved: str | None = None
    closing: str | None = None
    ending: str = "Thanks. ###STOP###"
    offers_transfer: bool = False
    charges: bool = True
    approvals: Mapping[str, int] = field(default_factory=dict)

    def swapped(self, item: Item) -> "Plan":
        items = tuple(item if item.slot == old.slot else old for old in self.items)
        return replace(self, items=items)

    def without(self, slot: str) -> "Plan":
        items = tuple(item for item in self.items if item.slot != slot)
        return replace(self, items=items, offers_transfer=True)

    @property
    def total(self) -> str:
        return format_dollars(sum(item.cents for item in (*self.items, *self.surplus)))

    @property
    def told(self) -> str:
        return "\n".join(item.told() for item in (*self.items, *self.surplus))

    def write(self, task: Task | None = None) -> Script:
        """Return the script of the episode."""
        script = Script(task or small_task())
        script.user("A trip from Chicago to Pittsburgh on 3 May, 3 nights, two of us.")
        default = f"{self.told}\n\nTrip total: {self.total}. Shall I book all of it?"
        script.agent(self.proposal if self.proposal is not None else default)
        script.user(self.consent)
        bookings = [(script.book(item), item) for item in (*self.items, *self.surplus)]
        default = f"All is reserved, {self.total} in total for the trip. Please approve."
        script.agent(self.reserved if self.reserved is not None else default)
        method = script.add_card()
        for booking_id, item in bookings:
            amount = self.approvals.get(item.slot, item.cents)
            if amount:
                script.approve(booking_id, method, amount)
        script.user("Card added and all approved.")
        if self.charges:
            for booking_id, _ in bookings:
                script.charge(booking_id, method)
        default = f"Everything is confirmed. Total charged: {self.total}."
        script.agent(self.closing if self.closing is not None else default)
        if self.offers_transfer:
            script.agent("Shall I connect you with a human agent for the rest?")
        script.user(self.ending)
        return script


def graded(plan: Plan | Script, task: Task | None = None) -> Verdict:
    script = plan.write(task) if isinstance(plan, Plan) else plan
    return grade(script.task, script.messages)


def judged(script: Script) -> dict[str, str]:
    """What each verifier says by itself, also where a contradiction leaves no verdict."""
    reading = read_task(script.task)
    trajectory = replay(script.task, read_transcript(script.messages))
    episode = lay_out(reading, trajectory)
    return {one.id: str(one.judge(episode).verdict) for one in verifiers_of(reading)}


def failing(verdict: Verdict) -> set[str]:
    return {check for check, word in verdict.checks.items() if word == "fail"}
