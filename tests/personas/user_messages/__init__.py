"""Right and wrong messages of models that play users, and what the guards make of them.

Each file holds contexts: what was said before, under which condition, and ten messages a user must
be let say (`right`) and ten it must not (`wrong`, with the kind of breach). The guards were made
with `tuning.json` at hand; `held_out.json` was written before any of them and read after.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from crab_graph.personas.breaches import UnsentReply, find_breach
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.condition import parse_condition, resolve
from crab_graph.personas.rules_user import RulesUser
from tests.travel_words import TRAVEL

BASIC, DETAIL = FactLevel.BASIC, FactLevel.DETAIL
PAIR = TRAVEL.briefing(
    TRAVEL.slots,
    [
        Fact("origin", "Chicago", BASIC),
        Fact("destination", "Pittsburgh", BASIC),
        Fact("departure_date", "2027-05-03", BASIC),
        Fact("nights", 3, BASIC),
        Fact("party_size", 2, BASIC),
        Fact("traveller_names", ["Ana Ruiz", "Leo Ruiz"], DETAIL),
        Fact("birth_dates", ["1990-04-02", "1988-11-23"], DETAIL),
        Fact("customer_id", "CU-20417", DETAIL),
        Fact("outbound_time_of_day", "morning", DETAIL, "outbound"),
        Fact("seat_type", "economy", DETAIL),
        Fact("hotel_stars", 3, DETAIL, "hotel"),
        Fact("budget", "1500.00", DETAIL),
        Fact("same_carrier", True, DETAIL),
        Fact("payment_card", {"card_id": "CD-2", "brand": "Visa", "last4": "4242"}, DETAIL),
    ],
    "S1-001",
    "2027-01-10",
)
SOLO = TRAVEL.briefing(
    TRAVEL.slots,
    [
        Fact("origin", "Boston", BASIC),
        Fact("destination", "Denver", BASIC),
        Fact("departure_date", ["2027-06-04", "2027-06-08"], BASIC),
        Fact("nights", 2, BASIC),
        Fact("party_size", 1, BASIC),
        Fact("traveller_names", ["Nora Lind"], DETAIL),
        Fact("birth_dates", ["1979-09-17"], DETAIL),
        Fact("customer_id", "CU-31155", DETAIL),
        Fact("return_time_of_day", "midday", DETAIL, "return"),
        Fact("seat_type", "premium economy", DETAIL),
        Fact("bed_type", "queen", DETAIL, "hotel"),
        Fact("attraction_category", "museum", DETAIL, "attraction"),
        Fact("attraction_time_of_day", "afternoon", DETAIL, "attraction"),
        Fact("budget", "1200.00", DETAIL),
        Fact("payment_card", {"card_id": "CD-9", "brand": "Mastercard", "last4": "9090"}, DETAIL),
    ],
    "S2-001",
    "2027-02-14",
)
USERS = {"pair": PAIR, "solo": SOLO}
BOOKINGS = [
    {"booking_id": f"BK-{n * 11111111}", "entity_id": entity, "status": "confirmed", "total": total}
    for n, (entity, total) in enumerate(
        zip(
            ("FL-48213", "FL-51022", "HT-3316", "AT-77120"),
            ("300.00", "280.00", "240.00", "40.00"),
            strict=True,
        ),
        start=1,
    )
]
APPROVAL = {"booking_id": "BK-11111111", "payment_method_id": "PM-1", "amount": "300.00"}
PRIVATE: dict[str, list[tuple[str, Any, Any]]] = {
    "approved": [
        ("add_payment_method_to_platform", {"card_id": "CD-2"}, {"payment_method_id": "PM-1"}),
        ("record_payment_approval", APPROVAL, {"approval_id": "AP-1", **APPROVAL}),
    ],
    "confirmed": [("get_my_trip_confirmations", {}, {"bookings": BOOKINGS})],
}


def contexts(half):
    """Return the contexts of a half, `tuning` or `held_out`."""
    return json.loads((Path(__file__).parent / f"{half}.json").read_text())


def drafts(context):
    """Yield each message of a context as a draft, with the kind of breach it is, if any."""
    briefing = USERS[context["user"]]
    condition = resolve(parse_condition(context["condition"]), 0, briefing.task_id, 0)
    roles = {"user": "user", "agent": "assistant"}
    messages: list[dict[str, Any]] = [
        {"role": roles[who], "content": text} for who, text in context["talk"]
    ]
    for number, (name, given, result) in enumerate(PRIVATE.get(context.get("private", ""), [])):
        call = {"id": f"c{number}", "name": name, "arguments": given}
        messages.append({"role": "user", "content": "", "tool_calls": [call]})
        content = json.dumps(result)
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": content})
    told = [{"key": key, "turn": 1, "reason": "asked"} for key in context["told"]]
    state = {"disclosed": told, "seen": []}
    hearing = RulesUser(briefing, condition, 0).hear(state, messages)
    for text in context["right"]:
        yield UnsentReply(text, (), messages, hearing, briefing), None
    for kind, text in context["wrong"]:
        yield UnsentReply(text, (), messages, hearing, briefing), kind


def judge(half):
    """Return the right messages that are sent back, those wrong that are not, and counts."""
    sent_back: list[Any] = []
    missed: list[Any] = []
    counts: Counter[tuple[str, bool]] = Counter()
    for context in contexts(half):
        for draft, kind in drafts(context):
            found = find_breach(draft)
            counts[kind or "right", found is not None] += 1
            if kind is None and found is not None:
                sent_back.append((context["name"], draft.text, found))
            elif kind is not None and found is None:
                missed.append((context["name"], kind, draft.text))
    return sent_back, missed, counts
