"""What asks for a card, for approvals and for a yes, and what only speaks of them."""

import pytest

from crab_graph.personas.understanding import Reading
from tests.personas.test_manners import told_all
from tests.personas.test_rules_user import BOOKINGS, PLAN, Chat
from tests.personas.test_understanding import SLOTS
from tests.travel_words import LEXICON


def paying(condition="generic"):
    chat = Chat(condition, bookings=BOOKINGS)
    chat.say()
    return chat


def reading(text):
    return Reading(text, LEXICON, SLOTS)


@pytest.mark.parametrize(
    "text",
    [
        "The Visa ending in 4242 would have to be added by you. Could you do that?",
        "May I go ahead, and is your Visa on the account by now?",
        "sound good? if yes, pop your visa ending in 4242 onto your account too",
        "there's none on your account yet, so pls add one",
        "In the meantime, might I ask you to register the Visa ending in 4242?",
        "I can't see the card, so please add it now and tell me once you have.",
        "And may I remind you of the Visa ending in 4242, to be added by yourself?",
        "Has the card been added?",
        "The Visa 4242 doesn't show up in your profile; would you kindly see to that?",
        "There is no card on your account yet. Could you take care of that, please?",
        "did you link the visa yet?",
        "First I only need your Visa 4242 on the platform; let me have its id when it's done.",
        "Do you approve this plan, and could the Visa be registered meanwhile?",
    ],
)
def test_a_card_is_asked_for(text):
    assert reading(text).asks_card


@pytest.mark.parametrize(
    "text",
    [
        "Once you have added the card, I will charge it.",
        "There is no need to add your Visa again.",
        "Shall I use the Visa that is registered on your account?",
        "I can add the tour to your plan, and you pay by card.",
        "Which card will you pay with?",
        "Thank you, the Visa ending in 4242 is registered.",
        "visa 4242 (you'll wanna add that one later), any flight times you'd like?",
    ],
)
def test_no_card_is_asked_for(text):
    assert reading(text).card_place is None


@pytest.mark.parametrize(
    "question",
    [
        "A yes to this plan - or tell me what to change.",
        "Does the plan itself have your approval? If it does, please add the Visa now.",
        "Shall I go ahead, or would you prefer a different day for the attraction?",
        "Is this agreeable, or which element should be different?",
        "You have two choices: option 1, I book precisely this; option 2, I look for a better "
        "cabin. Which do you prefer?",
    ],
)
def test_a_whole_plan_is_approved_however_the_yes_is_asked_for(question):
    said = told_all("generic").say(PLAN.replace("Shall I book all four?", question)).casefold()
    assert "go ahead" in said
    assert ("card" in said) == ("Visa" in question)


@pytest.mark.parametrize(
    ("text", "is_yes_first"),
    [("May I book it? Then please add your Visa, too.", True), ("Please add your Visa.", False)],
)
def test_what_is_asked_first_is_said_first(text, is_yes_first):
    said = told_all("generic").say(PLAN.replace("Shall I book all four?", text))
    assert "PM-22222222" in said
    assert (0 <= said.find("go ahead") < said.find("PM-")) == is_yes_first


@pytest.mark.parametrize(
    "text",
    [
        "First step: put your Visa on the platform, then we'll do the approvals.",
        "Wait with any approvals, please. First I only need your Visa on the platform.",
        "Please add your Visa. Afterwards I'll ask you for the approvals.",
    ],
)
def test_approvals_that_come_later_are_not_made_now(text):
    chat = paying()
    said = chat.say(f"All four are held. {text} Tell me its id when it's there.")
    assert "PM-22222222" in said
    assert chat.approvals() == []


def test_who_is_only_told_that_all_is_held_asks_what_comes_next():
    said = paying().say("Everything is reserved for you.")
    assert "pending" not in said
    assert "?" in said


def test_what_was_not_asked_for_is_not_said_to_be_approved():
    chat = paying()
    said = chat.say("Please approve BK-00000001: $300.00 and BK-00000002: $280.00.")
    assert "BK-00000001 and BK-00000002" in said
    assert "all" not in said.casefold().split()


def test_a_booking_that_nobody_has_is_not_taken_for_another():
    chat = paying()
    assert "BK-09999999" in chat.say("Please approve BK-09999999: $300.00.")
    assert chat.approvals() == []


def test_a_card_is_added_and_named_beside_an_objection():
    chat = told_all("generic")
    said = chat.say(
        PLAN.replace("07:35, aisle", "07:35, window").replace(
            "Shall I book all four?", "May I book? And please add the Visa."
        )
    )
    assert "PM-22222222" in said
    assert "go ahead" not in said.casefold()


def test_what_was_done_is_said_beside_a_play_back():
    chat = paying("neutral")
    said = chat.say(
        "Your Visa ending in 4242 is not registered yet; please add it, then approve with it: "
        "BK-00000001: $300.00, BK-00000002: $280.00, BK-00000003: $360.00, BK-00000004: $70.00. "
        "Amounts are per booking. Please confirm once done, with the payment method id."
    )
    assert "PM-22222222" in said
    assert "approved" in said
    assert "right" not in said
