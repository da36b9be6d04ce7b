"""What a model that plays the user must not do is seen; honest turns are left alone."""

import json

import pytest

from crab_graph.personas.breaches import UnsentReply, find_breach
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.condition import parse_condition, resolve
from crab_graph.personas.fragment_set import load_fragments
from crab_graph.personas.model_users import OPENING, LlmUser, ModelReply
from crab_graph.personas.recognition import stated_facts
from crab_graph.personas.rules_user import RulesUser
from tests.travel_words import TRAVEL

BASIC, DETAIL = FactLevel.BASIC, FactLevel.DETAIL
BRIEFING = TRAVEL.briefing(
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
ASKS_PAYMENT = "Please approve the payments of $300.00 for BK-11111111 and $80.00 for BK-22222222."
ASKS_BOOKING = "Outbound FL-48213 for $300.00, hotel Grand Elm HT-3316 for $80.00. Shall I book it?"


def agent(text):
    return {"role": "assistant", "content": text}


def approved(heard):
    call = {"booking_id": "BK-11111111", "payment_method_id": "PM-1", "amount": "300.00"}
    asked = [{"id": "user_call_1", "name": "record_payment_approval", "arguments": call}]
    result = json.dumps({"approval_id": "AP-1", **call, "currency": "USD"})
    return [
        agent(heard),
        {"role": "user", "owner": "user", "content": "", "tool_calls": asked},
        {"role": "tool", "owner": "user", "tool_call_id": "user_call_1", "content": result},
    ]


def draft(text, messages, name="generic", calls=()):
    condition = resolve(parse_condition(name), 0, BRIEFING.task_id, 0)
    messages = [{"role": "user", "content": "Hi"}, *messages] if messages else []
    hearing = RulesUser(BRIEFING, condition, 0).hear({}, messages)
    return UnsentReply(text, calls, messages, hearing, BRIEFING)


@pytest.mark.parametrize(
    ("text", "messages", "kind"),
    [
        ("Yes, go ahead. ###STOP###", [agent(ASKS_BOOKING)], "ends_on_approval"),
        ("Thanks. ###STOP###", approved(ASKS_PAYMENT), "ends_on_approval"),
        ("I've approved both payments.", [agent(ASKS_PAYMENT)], "claims_payment"),
        ("Done.", [agent(ASKS_PAYMENT)], "claims_payment"),
        ("I have added my card.", [agent("Please add a card.")], "claims_payment"),
        ("The third passenger is Maria Lopez.", [agent("Who travels?")], "invents_person"),
        ("Leo was born on 1 January 1980.", [agent("Birth dates?")], "invents_person"),
        ("Shall I book it for you?", [agent("Hello")], "plays_agent"),
        ("I'll search for flights now.", [agent("Hello")], "plays_agent"),
        ("How can I help you today?", [], "plays_agent"),
        ("", [agent("Hello")], "says_nothing"),
    ],
)
def test_each_known_failure_of_user_models_is_seen(text, messages, kind):
    found = find_breach(draft(text, messages))
    assert found is not None and found.kind == kind


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("Yes, go ahead.", [agent(ASKS_BOOKING)]),
        ("I have approved the payment for BK-11111111.", approved(ASKS_PAYMENT)),
        ("I have not approved any payment yet.", [agent(ASKS_PAYMENT)]),
        ("Thanks, that's all. ###STOP###", [agent("Everything is booked and paid.")]),
        ("Approved.", [agent(f"{ASKS_BOOKING} Do you approve this plan?")]),
        ("The passengers are Ana Ruiz and Leo Ruiz.", [agent("Who travels?")]),
        ("Leo was born on 23 November 1988.", [agent("Birth dates?")]),
        ("The Grand Elm is fine for both travellers.", [agent("The Grand Elm, HT-3316?")]),
        ("I'd like to book a trip. Can you help me?", []),
        ("A human then, please. ###TRANSFER###", [agent("Shall I hand you over to a person?")]),
    ],
)
def test_an_honest_turn_is_left_alone(text, messages):
    assert find_breach(draft(text, messages)) is None


@pytest.mark.parametrize(
    ("text", "asked", "keys"),
    [
        ("From Chicago to Pittsburgh on May 3, 2027, 3 nights, two people.", [],
         ["origin", "destination", "departure_date", "nights", "party_size"]),
        ("A morning flight out, economy. Not more than $1,500.", [],
         ["outbound_time_of_day", "seat_type", "budget"]),
        ("morning", ["outbound_time_of_day"], ["outbound_time_of_day"]),
        ("morning", [], []),
        ("CU-20417, and the Visa ending in 4242", [], ["customer_id", "payment_card"]),
        ("A 3-star hotel. Ana Ruiz, born 1990-04-02.", [],
         ["traveller_names", "birth_dates", "hotel_stars"]),
        ("The same airline both ways, please.", [], ["same_carrier"]),
        ("I don't mind economy or anything.", [], []),
    ],
)  # fmt: skip
def test_stated_facts_are_read_back_from_free_text(text, asked, keys):
    assert sorted(stated_facts(text, BRIEFING, asked)) == sorted(keys)


def engine(*replies):
    heard = []

    def ask(lines):
        heard.append(list(lines))
        return replies[len(heard) - 1]

    condition = resolve(parse_condition("generic"), 0, BRIEFING.task_id, 0)
    return LlmUser(RulesUser(BRIEFING, condition, 0), BRIEFING, ask), heard


def test_a_breach_is_asked_for_once_more_with_the_reason():
    user, heard = engine(ModelReply("Done."), ModelReply("How do I do that?"))
    step = user.step({}, [{"role": "user", "content": "Hi"}, agent(ASKS_PAYMENT)])
    assert step.message["content"] == "How do I do that?"
    assert (step.state["retries"], "faults" in step.state) == (1, False)
    assert heard[0][0]["content"] == OPENING
    assert "was not sent" in heard[1][-1]["content"]


def test_a_second_breach_is_delivered_and_recorded():
    user, _ = engine(ModelReply("Done."), ModelReply("All approved."))
    step = user.step({}, [{"role": "user", "content": "Hi"}, agent(ASKS_PAYMENT)])
    assert step.message["content"] == "All approved."
    assert [fault["kind"] for fault in step.state["faults"]] == ["claims_payment"]
    assert step.state["faults"][0]["turn"] == 3


def test_the_record_says_when_and_why_a_fact_was_said():
    user, _ = engine(ModelReply("A trip from Chicago, please."), ModelReply("Economy."))
    first = user.step({}, [])
    said = [{"role": "user", "content": first.message["content"]}, agent("Which cabin class?")]
    second = user.step(first.state, said)
    assert second.state["disclosed"] == [
        {"key": "origin", "turn": 1, "reason": "volunteered", "how": "exact"},
        {"key": "seat_type", "turn": 3, "reason": "asked", "how": "exact"},
    ]


def test_a_payment_that_nobody_spoke_of_is_approved_by_nobody():
    calls = ["record_payment_approval"]
    found = find_breach(draft("", [agent("Which cabin class would you like?")], calls=calls))
    assert found is not None and found.kind == "approves_unasked"
    assert find_breach(draft("", [agent(ASKS_PAYMENT)], calls=calls)) is None


def test_what_a_user_doubts_is_no_invention_and_what_it_is_sure_of_is(tmp_path):
    (tmp_path / "unsure_default.md").write_text("doubts: 2\nslips: 1\nYou are not sure.\n")
    fragments = load_fragments(tmp_path)
    condition = resolve(parse_condition("unsure", fragments.added), 0, BRIEFING.task_id, 0)
    rules = RulesUser(BRIEFING, condition, 0, fragments=fragments)
    hearing = rules.hear({}, [])
    text = " ".join(
        f"{key.replace('_', ' ')}: {saying.words}."
        for key, saying in hearing.speaker.sayings.items()
    )
    assert find_breach(UnsentReply(text, (), [], hearing, BRIEFING)) is None
    sure = draft(text, [])
    assert getattr(find_breach(sure), "kind", None) == "invents_value"
