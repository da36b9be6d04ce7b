"""The policy derived from a declaration states every duty that is graded, and no other."""

from dataclasses import replace

import pytest

import crab_graph.domain as cd
from crab_graph.domain.agent_policy import agent_policy
from crab_graph.domain.layout import kinds_of
from crab_graph.domain.toolkit import desks_of
from crab_graph.settings import Toolset
from tests.domain.festival import BLOCK, CABIN, FESTIVAL, FREE, LESSON, TALK, declared


def policy(declaration: cd.Declaration, toolset: Toolset = Toolset.PARITY) -> str:
    desks = desks_of(declaration, kinds_of(declaration))
    return agent_policy(declaration, desks, toolset, "2027-06-01")


DUTIES = (
    "Today is 2027-06-01",
    "is not shown to the customer",
    "customer id or email",
    "Pin down",
    "play all wishes back",
    "the full names and dates of birth of all visitors",
    "One booking for each of the six parts",
    "one `block_id`",
    "one cabin that is large enough for all",
    "from the date of the concert (`arrive`) to the date of the lesson (`leave`)",
    "the name and the id of the concert, lesson and camp (`concert_id`, `teacher_id`, `camp_id`)",
    "the id of the workshop, bike and talk (`workshop_id`, `bike_id`, `talk_id`)",
    "No `block_id`, `lesson_id` or `cabin_id` needs to be told",
    "any of them is right: choose one, and tell the customer which",
    "early 10:00, late 20:00 (`starts` of a concert and a lesson)",
    "exact prices and the exact total of the festival visit",
    "at most 10 options of one kind",
    "after the customer has approved the whole plan",
    "Each booking needs its own recorded approval",
    "What costs nothing (talk) is confirmed at once",
    "per person, per place, or for the whole booking",
    "Change no customer data",
    "transfer the customer to a human agent",
)


@pytest.mark.parametrize("duty", DUTIES)
@pytest.mark.parametrize("toolset", Toolset)
def test_every_duty_is_stated(duty: str, toolset: Toolset) -> None:
    assert duty in policy(FESTIVAL, toolset)


def test_what_costs_nothing_is_not_paid() -> None:
    text = policy(FREE)
    assert "confirmed at once" in text
    words = ("charge", "card", "approval", "price", "total", "refund")
    assert not [word for word in words if word in text.casefold()]


def test_what_can_be_cancelled_and_changed_is_said_of_the_toolset() -> None:
    held = replace(CABIN, tools=replace(CABIN.tools, extended=("cancel", "change")))
    declaration = declared(BLOCK, LESSON, held)
    parity, extended = (policy(declaration, toolset) for toolset in Toolset)
    assert "Camp bookings cannot be cancelled" in parity
    assert "Concert and lesson bookings can be cancelled; what was charged is refunded" in parity
    assert "changed" not in parity.partition("## Say before")[2].partition("## Payment")[0]
    assert "Every booking can be cancelled" in extended
    assert "A change counts as a booking" in extended


def test_rules_and_own_duties_are_said_and_a_policy_of_ones_own_replaces_all() -> None:
    rules = [
        cd.Rule("a", lambda talk: talk.date > 3, "the talk is within {r.days} days"),
        cd.Rule("b", lambda talk: talk.date > 3, "the talk is loud", odds=0.5),
    ]
    text = policy(declared(TALK, rules=rules, duties=("Be kind.",), people=None))
    assert "- The talk is within as many days as the customer wants." in text
    assert "loud" not in text
    assert "- Be kind." in text
    assert policy(declared(TALK, policy="Book on {today}.")) == "Book on 2027-06-01."
