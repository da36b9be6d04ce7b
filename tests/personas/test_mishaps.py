"""What a user says where the world broke something: it judges by its wishes, and is never stuck."""

from typing import Any

import pytest

from crab_graph.personas.condition import parse_condition, resolve
from crab_graph.personas.declined_cards import with_spare_card
from crab_graph.personas.own_tools import Approval, Booking, Wallet
from crab_graph.personas.payment_habits import PaymentHabit
from crab_graph.personas.rules_user import RulesUser
from crab_graph.personas.understanding import reading_of
from tests.eval.builders import ANNEX, HOTEL, OUT, Plan, build_task

ASKED = (
    "Please tell me all else: customer id, names, birth dates, all wishes, budget and card.",
    "Any other wish?",
)
PROPOSED = f"{Plan().told}\n\nTrip total: {Plan().total}. Shall I book all of it?"
NOTHING = '{"bookings": [], "cards": []}'


def answer(tell, *, condition="generic"):
    """Return what a user says to a message after it has said all and agreed to a plan."""
    task = build_task()
    user = RulesUser(task.briefing, resolve(parse_condition(condition), 3, task.id, 0), 3)
    messages: list[dict[str, Any]] = []
    state: dict[str, Any] = {}
    for text in (None, *ASKED, PROPOSED, tell):
        messages += [{"role": "assistant", "content": text}] if text else []
        while True:
            step = user.step(state, messages)
            state = step.state
            messages.append(dict(step.message))
            calls = step.message.get("tool_calls", ())
            messages += [
                {"role": "tool", "owner": "user", "tool_call_id": one["id"], "content": NOTHING}
                for one in calls
            ]
            if not calls:
                break
    return messages[-1]["content"]


@pytest.mark.parametrize(
    "tell",
    [
        f"The price of {OUT} has gone up: it now costs $12.00 more. Is that all right with you?",
        "The price I quoted for Juniper Court has expired. It is $18.10 more. Still book it?",
        "The outbound flight was sold. Shall I take FL-10009 (economy, morning) for it instead?",
    ],
)
def test_what_fits_is_taken_in_place_of_what_was_sold_or_was_cheaper(tell):
    said = answer(tell).casefold()
    assert any(word in said for word in ("go ahead", "yes", "fine", "book", "good", "do it"))


@pytest.mark.parametrize(
    ("tell", "wish"),
    [
        ("Juniper Court now costs $600.00 more in total. Is that all right?", "$1,500"),
        (f"{HOTEL} was sold. Shall I take Juniper Court Annex ({ANNEX}, 2 stars)?", "3 stars"),
    ],
)
def test_what_goes_beyond_a_wish_is_objected_to(tell, wish):
    assert wish in answer(tell)


def test_a_rise_within_the_budget_is_none_beyond_it():
    assert "$1,500" not in answer("Juniper Court now costs $100.00 more. Is that all right?")


def test_an_agent_that_asks_to_look_again_may():
    assert "fits" in answer(f"{OUT} was sold while we talked. May I search for another one?")


@pytest.mark.parametrize("habit", [PaymentHabit.AT_ONCE, PaymentHabit.OTHER_CARD])
def test_a_card_of_its_own_that_was_declined_gives_way_to_one_that_bears_all(habit):
    mine = {"card_id": "CD-1", "payment_method_id": "PM-1", "limit": "900.00"}
    other = {"card_id": "CD-2", "limit": "900.00"}
    due = (Booking("BK-1", OUT, "pending", 100_00),)
    paid = (Approval("BK-1", "PM-1", 100_00),)
    seen = ("", "CD-1", frozenset[str](), (mine, other), due, None, (), paid, ())
    task = build_task()
    told = reading_of("Your card was declined.", task.briefing.lexicon, task.briefing.slots)
    assert with_spare_card(Wallet(*seen), told, habit).wanted == "CD-2"
