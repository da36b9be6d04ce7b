"""Plain questions get plain answers: a yes to one plan, a value among values, an end at the end."""

import pytest

from tests.personas.test_manners import told_all
from tests.personas.test_rules_user import BOOKINGS, PAY, PLAN, Chat

ITEMS = PLAN.partition("\n\n")[0] + "\n\nTrip total: $1,010.00. "
CONDITIONS = ["generic", "neutral", "terse", "d1"]


def approves(said):
    return any(word in said.casefold() for word in ("yes", "go ahead", "go for it", "book it"))


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "question",
    [
        "Yes, or change something?",
        "you cool with this, or wanna change something?",
        "[ ] Plan approved\n[ ] Total OK",
        "Yay or nay?",
    ],
)
def test_a_whole_plan_and_a_question_get_a_yes(condition, question):
    assert approves(told_all(condition).say(ITEMS + question))


@pytest.mark.parametrize(
    "question",
    [
        "haha ok so that's a yes to the plan?",
        "Do I book FL-48213, FL-20955, HT-3316 and AT-50811 for $1,010.00?",
        "So do I have a clear yes for this?",
    ],
)
def test_a_yes_that_is_asked_for_again_is_given_again(question):
    chat = told_all("generic")
    chat.say(PLAN)
    assert approves(chat.say(question))


@pytest.mark.parametrize(
    "question",
    [
        "Budget: $1,500.00 in total. Firm?",
        "Is $1,500.00 the absolute limit?",
        "Do I understand rightly that a total of $1,500.00 must not be exceeded?",
        "Is the outbound flight definitely to be in the morning?",
    ],
)
def test_what_is_meant_for_sure_is_affirmed(question):
    said = told_all("generic").say(question)
    assert "right" in said or "correct" in said or "is a must" in said


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("And the flight back: morning, midday, night, or no matter?", "Any time of day"),
        ("The flight home: which one?\n\na) a certain time of day\nb) any time", "Any time of day"),
    ],
)
def test_a_choice_among_values_is_answered_with_the_wish_or_none(question, answer):
    assert answer in told_all("generic").say(question)


def test_wishes_nobody_has_are_answered_beside_a_question_for_more():
    said = told_all("generic").say(
        "At what time of day do you wish to fly back, and have you any further wishes?"
    )
    assert "return flight" in said and "else" in said


@pytest.mark.parametrize("closing", ["Bye for now?", "charged it all. anything else?", "All good?"])
def test_once_all_is_paid_whatever_is_asked_ends_the_talk(closing):
    chat = Chat("generic", bookings=BOOKINGS)
    chat.say()
    chat.say(PAY)
    for booking in chat.bookings:
        booking["status"] = "confirmed"
    assert chat.say(closing).endswith("###STOP###")


def test_what_is_unclear_is_asked_once_and_a_plain_question_then_gets_no_don_t_know():
    chat = told_all("generic")
    said = [chat.say("Is the moon up?") for _ in range(4)]
    assert said[0] != said[1] and not any("don't know" in one for one in said[2:])


def test_people_are_no_name_behind_a_price_per_person():
    said = told_all("generic").say(
        "Out FL-48213, 2027-05-04 07:35, aisle, $150.00 per person. Back FL-20955, 2027-05-07,"
        " aisle, $140.00 per person; Juniper Court Hotel (HT-3316), 4 stars, $360.00; Riverside"
        " Glass Museum (AT-50811), $70.00. Total $1,010.00. Shall I book it?"
    )
    assert approves(said)


def test_a_payment_method_is_named_again_only_to_who_does_not_see_it():
    chat = Chat("generic", bookings=BOOKINGS)
    chat.say()
    named = chat.say("Please add your Visa ending in 4242 to the platform.")
    assert "PM-22222222" in named
    assert "PM-" not in chat.say("Thanks for PM-22222222. Please approve BK-10000001: $240.00.")
    again = chat.say("I can't see your Visa yet, please add it and approve the other payments.")
    assert "PM-22222222" in again
    assert "payment method is" not in again
