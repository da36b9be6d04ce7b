"""What a user says to a plan beside which it is asked for more: the wishes that the plan misses."""

import pytest

from crab_graph.personas.breaches import is_approval
from crab_graph.personas.briefing import Fact, FactLevel
from tests.personas.test_rules_user import FACTS, PLAN, Chat
from tests.travel_words import TRAVEL

UNSHOWN = {"bed_type": "queen", "same_carrier": True}
BRIEFING = TRAVEL.briefing(
    TRAVEL.slots,
    [*FACTS, *(Fact(key, value, FactLevel.DETAIL) for key, value in UNSHOWN.items())],
    "S1-001",
    "2027-01-10",
)

ASKS = [
    "Is there any further wish, or do you approve the plan?",
    "Do you approve it as a whole? If anything else matters, say so now.",
    "happy with all of it, and nothing else on your list?",
    "Approve as is, or add a wish?",
    "Anything missing? Otherwise I'd go ahead and book - ok?",
]


@pytest.mark.parametrize("ask", ASKS)
def test_a_wish_that_a_plan_does_not_show_is_told_before_it_is_approved(ask):
    chat = Chat("terse", briefing=BRIEFING)
    told: set[str] = set()
    chat.say()
    shown = PLAN.replace("Shall I book all four?", ask)
    for _ in range(8):
        said = chat.say(shown)
        facts = {row["key"] for row in chat.state["disclosed"]}
        if is_approval(said):
            break
        assert facts > told, said
        told = facts
    assert told >= UNSHOWN.keys() and "seat_position" not in told, (told, said)
    assert is_approval(said) and facts == told, said


def test_what_was_asked_for_openly_is_owed_when_a_plan_is_to_be_approved():
    chat = Chat("terse", briefing=BRIEFING)
    chat.say()
    chat.say("Is there anything else you would like?")
    for _ in range(12):
        if is_approval(said := chat.say(PLAN)):
            break
    assert is_approval(said)
    assert UNSHOWN.keys() <= {row["key"] for row in chat.state["disclosed"]}


def test_a_plan_is_approved_at_once_by_who_has_told_all():
    chat = Chat("generic", briefing=BRIEFING)
    chat.say()
    assert is_approval(chat.say(PLAN.replace("Shall I book all four?", ASKS[0])))


@pytest.mark.parametrize(
    "text",
    [
        "Is the window of May 4 to May 6 firm?",
        "You sounded unsure: is that window right for you?",
        "And is your window of 4 to 6 May settled?",
        "Noted: 3 nights. Still needed: full names and dates of birth; your wishes for hotel and"
        " attraction; and any budget.",
        "Thanks. I would ask you for:\n- your customer id;\n- the wishes for the hotel;\n"
        "- and any budget.",
    ],
)
def test_a_window_of_days_and_a_budget_asked_for_are_no_wishes_played_back(text):
    chat = Chat("terse", briefing=BRIEFING)
    chat.say()
    said = chat.say(text).casefold()
    told = {row["key"] for row in chat.state["disclosed"]}
    assert "seat_position" not in told and "wrong" not in said and "not so" not in said, said
