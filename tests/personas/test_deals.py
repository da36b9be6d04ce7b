"""What a user says to a plan beside its yes, and that it claims nothing it has not said."""

import re

import pytest

from crab_graph.agents.reference.conversation import Conversation, Said
from crab_graph.agents.reference.handbook import handbook_of
from crab_graph.agents.reference.inferences import Inference
from crab_graph.personas.options import choose_option
from crab_graph.personas.stated_plans import read_plan
from crab_graph.personas.understanding import Reading
from tests.personas.test_manners import told_all
from tests.personas.test_rules_user import BOOKINGS, BRIEFING, PLAN, Chat
from tests.travel_words import TRAVEL

CONDITIONS = ["generic", "neutral", "terse", "impatient", "d1"]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_plan_on_another_card_gets_a_yes_and_the_card_that_is_meant(condition):
    plan = PLAN.replace("Shall I", "Shall I charge the Visa ending in 1111 on your account, and")
    said = told_all(condition).say(plan)
    assert "4242" in said
    assert re.search(r"yes|go ahead|go for it|book it|do it", said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_plan_on_the_card_that_is_meant_gets_a_plain_yes(condition):
    said = told_all(condition).say(PLAN.replace("Shall", "The Visa 4242 is to be charged. Shall"))
    assert "4242" not in said


@pytest.mark.parametrize("condition", ["generic", "neutral"])
def test_nothing_is_approved_before_anything_was_proposed(condition):
    chat = Chat(condition)
    chat.say()
    said = chat.say(
        "Kindly allow me to restate it: Chicago to Pittsburgh for 3 nights, within $1,500.00. May I"
        " ask whether this is accurate, and whether there are any further wishes as to the bed? If"
        " not, I shall proceed, starting with the flights. No card is registered as yet; we shall"
        " come to that in due course."
    )
    assert not re.search(r"go ahead|book it|card", said.casefold()), said
    assert not any(name.startswith("add") for name, _ in chat.private)


def test_a_question_left_open_is_not_called_told():
    chat = Chat("impatient")
    chat.say()
    chat.say("Noted. One airline or not, and which cabin?")
    assert not re.search(r"before|again|as i said", chat.say("And one airline?").casefold())


@pytest.mark.parametrize("condition", CONDITIONS)
def test_ids_keep_their_case_however_one_types(condition):
    said = [
        Chat(condition, seed, BOOKINGS).say("Please add your card and tell me the method's id.")
        for seed in range(4)
    ]
    assert not any(re.search(r"\bpm-\d", text) for text in said)


def test_one_is_taken_of_each_group_of_options():
    text = (
        "Part 1, outbound:\n- A: FL-1001 at 07:40, $300.00\n- B: FL-1002 at 08:10, $340.00\n\n"
        "Part 2, hotel:\n- C: Ivory Inn (HT-3316), 4 stars, $300.00\n"
        "- D: Ivory Court (HT-3317), 4 stars, $200.00\n\nWhich would you like for each part?"
    )
    plan = read_plan(Reading(text, BRIEFING.lexicon, BRIEFING.slots), BRIEFING.slots)
    choice = choose_option(plan, BRIEFING)
    assert choice is not None
    assert choice.items == ("FL-1001", "HT-3317")


def test_the_last_weekday_of_a_month_is_worked_out():
    handbook = handbook_of(TRAVEL)
    inference = Inference(handbook.reader, handbook.lexicon)
    said = (Said(is_user=True, text="Leaving on the last Wednesday of March 2027.", position=0),)
    plain = inference.plain(Conversation("2027-01-13", False, said, (), {}))
    assert plain.last_user_text == "Leaving on 2027-03-31."


def test_a_total_to_be_paid_is_no_budget():
    chat = told_all("generic")
    chat.bookings = [dict(row) for row in BOOKINGS]
    amounts = "\n".join(f"{one['booking_id']}: ${one['total']}" for one in BOOKINGS)
    said = chat.say(f"Please approve:\n{amounts}\nAmounts are per booking; total $1,010.00.")
    assert "budget" not in said


def test_a_card_and_a_yes_asked_for_in_one_breath_are_both_given():
    said = told_all("generic").say(
        PLAN.rpartition("Shall")[0] + "Could you add the Visa 4242? And is the plan a yes?"
    )
    assert "PM-" in said
    assert re.search(r"yes|go ahead", said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "question",
    [
        "Do you approve the hotel at its new price of $372.00, for a total of $1,022.00?",
        "May I book HT-3316 at the new price of $372.00? I have noted your approvals.",
    ],
)
def test_a_yes_to_what_is_not_booked_yet_pays_for_nothing_else(question, condition):
    booked = [row for row in BOOKINGS if not row["entity_id"].startswith("HT")]
    chat = Chat(condition, bookings=booked)
    chat.say()
    chat.say(PLAN)
    rows = "".join(f"- {row['booking_id']}: ${row['total']}\n" for row in booked)
    said = chat.say(f"Booked, not yet charged:\n{rows}\nThe price of HT-3316 went up. {question}")
    assert not chat.approvals()
    assert re.search(r"yes|go ahead|go for it|book it|do it", said.casefold()), said
    assert "already" not in said


def test_what_is_booked_is_paid_for_where_the_yes_is_to_its_payments():
    booked = [row for row in BOOKINGS if not row["entity_id"].startswith("HT")]
    chat = Chat("neutral", bookings=booked)
    chat.say()
    chat.say(PLAN)
    chat.say("The hotel is still to come. Do you approve $300.00 for BK-00000001?")
    assert [one["booking_id"] for one in chat.approvals()] == ["BK-00000001"]


def test_who_asks_which_card_an_approval_is_of_is_told():
    chat = Chat("neutral", bookings=BOOKINGS)
    chat.say()
    chat.say(PLAN)
    chat.say("Please approve the payments.")
    said = chat.say(
        "One thing about BK-00000001: did you approve it with the Visa, or with the Mastercard?"
    )
    assert "PM-22222222" in said
