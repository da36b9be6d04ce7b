"""A small run to report on: one transcript in which a trip is half booked, and its variations."""

import json
from typing import Any

import pytest

from crab_graph.runs.record import EpisodeRecord

FLIGHT = {"customer_id": "CU-20417", "flight_id": "FL-48213", "seats": [{"fare_id": "FA-90177"}]}


def call(number: int, name: str, arguments: dict[str, Any], owner: str = "agent") -> dict[str, Any]:
    """A message that calls one tool."""
    role = "assistant" if owner == "agent" else "user"
    calls = [{"id": f"call_{number}", "name": name, "arguments": arguments}]
    return {"role": role, "owner": owner, "content": "", "tool_calls": calls}


def answer(number: int, result: dict[str, Any], owner: str = "agent") -> dict[str, Any]:
    """The tool's answer to it."""
    content = json.dumps(result)
    return {"role": "tool", "owner": owner, "tool_call_id": f"call_{number}", "content": content}


MESSAGES = [
    {"role": "user", "content": "A flight from Denver to Portland, please."},
    call(1, "search_flights_by_route", {"origin": "DEN", "destination": "PDX"}),
    answer(1, {"flights": [{"flight_id": f"FL-{n}"} for n in range(48210, 48230)]}),
    call(2, "charge_booking", {"booking_id": "BK-1"}),
    answer(2, {"error": "unknown_id", "message": "no booking 'BK-1'"}),
    {"role": "assistant", "content": "FL-48213 costs $300.00. Shall I book it?"},
    call(3, "get_my_payment_cards", {}, owner="user"),
    answer(3, {"cards": [{"card_id": "CD-4242"}]}, owner="user"),
    {"role": "user", "content": "Yes, go ahead."},
    call(4, "book_flight_with_seats", FLIGHT),
    answer(4, {"booking_id": "BK-20931177", "status": "pending", "total": "300.00"}),
    {"role": "assistant", "content": "Booked, [bold]pay later[/bold] <script>hacked()</script>."},
    {"role": "user", "content": "Thanks. ###STOP###"},
]

BOOKING = {
    "booking_id": "BK-20931177",
    "customer_id": "CU-20417",
    "kind": "flight",
    "entity_id": "FL-48213",
    "status": "pending",
    "total_cents": 30000,
}

EVENTS = [
    {"op": "insert", "table": "bookings", "key": "BK-20931177", "row": BOOKING, "seq": 4},
    {
        "op": "add",
        "table": "fares",
        "key": "FA-90177",
        "column": "available",
        "delta": -1,
        "seq": 4,
    },
]

TRACE = tuple(
    {"seq": seq, "owner": owner, "name": name, "arguments": {}, "events": events}
    for seq, owner, name, events in (
        (1, "agent", "search_flights_by_route", []),
        (2, "agent", "charge_booking", []),
        (3, "user", "get_my_payment_cards", []),
        (4, "agent", "book_flight_with_seats", EVENTS),
    )
)

CHECKS = {"D01": "pass", "D02": "pass", "D19": "pass", "F-PT": "not_triggered", "C-FULL": "pass"}
HALF_BOOKED = {**CHECKS, "D02": "fail", "D19": "fail", "C-FULL": "not_triggered", "C-PART": "fail"}


EXPLANATION = {
    "parts": [
        {
            "slot": "outbound",
            "booked": {"flight_id": "FL-48213", "fare_id": "FA-90177"},
            "nearest": {"flight_id": "FL-48220", "fare_id": "FA-90200"},
            "differs": ["flight_id", "fare_id"],
            "broken": ["time of day is morning; but outbound time of day night"],
            "found": "passed_over",
            "seen_at": 1,
        },
        {
            "slot": "return",
            "booked": None,
            "nearest": {"flight_id": "FL-50001"},
            "differs": ["flight_id"],
            "broken": [],
            "found": "never_searched",
            "seen_at": None,
        },
    ],
    "between": ["one carrier both ways; but …"],
    "failing": ["D19"],
    "counts": {"booked": 0, "never_searched": 1, "passed_over": 1, "lost": 0},
    "timeline": [
        {
            "message": 2,
            "claim": "unit price $300.00",
            "seq": 4,
            "action": "booked [b]BK-20931177[/b]",
            "match": False,
        }
    ],
}


def make_record(task_id: str = "S1-001", **changes: Any) -> EpisodeRecord:
    """A passed episode of the solver with a generic user, but for what is asked otherwise."""
    condition, trial = changes.get("condition", "generic"), changes.get("trial", 0)
    fields: dict[str, Any] = {
        "episode_id": f"{task_id}.{condition}.{trial}",
        "task_id": task_id,
        "stratum": int(task_id[1]),
        "axes": {"date_mode": "fixed", "party": 1},
        "condition": condition,
        "persona": "none",
        "dimensions": (),
        "trial": trial,
        "seed": 0,
        "agent": "solver",
        "agent_is_reference": True,
        "user_engine": "rules",
        "outcome": "pass",
        "passed": True,
        "fault": None,
        "termination": "###STOP###",
        "checks": CHECKS,
        "evidence": {},
        "strict": {"passed": True, "checks": CHECKS},
        "failures": (),
        "primary_failure": None,
        "metrics": {"total_tool_calls": 3, "failed_tool_calls": 1, "redundant_calls": 0},
        "facts": ({"key": "origin", "level": "basic", "turn": 1, "reason": "volunteered"},),
        "messages": MESSAGES,
        "trace": TRACE,
    }
    return EpisodeRecord(**{**fields, **changes})


def make_failed(task_id: str = "S1-001", **changes: Any) -> EpisodeRecord:
    """An episode of the hasty agent that stopped half-way."""
    failed = {
        "agent": "hasty",
        "outcome": "fail",
        "passed": False,
        "fault": "agent",
        "checks": HALF_BOOKED,
        "evidence": {"D19": [{"text": "is pending", "rows": ["bookings/BK-20931177"]}]},
        "failures": ("payment", "missing_entity"),
        "primary_failure": "payment",
        "explanation": EXPLANATION,
    }
    return make_record(task_id, **{**failed, **changes})


@pytest.fixture
def records() -> list[EpisodeRecord]:
    """Two agents on two tasks."""
    checks = {**HALF_BOOKED, "F-PT": "fail"}
    return [
        make_record("S1-001"),
        make_record("S2-001"),
        make_failed("S1-001", persona="terse", condition="ruse"),
        make_failed("S2-001", persona="terse", condition="ruse", checks=checks),
    ]


@pytest.fixture(scope="session")
def shared_records() -> list[EpisodeRecord]:
    """Two agents on two tasks, one with flexible dates, twice each; nobody changes them."""
    kinds = (make_record, make_failed)
    users: tuple[dict[str, Any], ...] = ({}, {"condition": "ruse", "persona": "terse"})
    return [
        make("S1-001" if stratum == 1 else "S2-001", **about, **user, trial=trial)
        for make, user in zip(kinds, users, strict=True)
        for stratum, about in ((1, {}), (2, {"axes": {"date_mode": "flexible", "party": 1}}))
        for trial in range(2)
    ]


@pytest.fixture(scope="module")
def browser():
    from tests.analysis.in_browser import started_browser  # noqa: PLC0415

    with started_browser() as started:
        yield started
