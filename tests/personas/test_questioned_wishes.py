"""What a user says to whether a wish is so: a yes or a no, and the wish itself."""

import pytest

from crab_graph.personas.breaches import is_approval
from tests.personas.test_checking import BRIEFING
from tests.personas.test_rules_user import PLAN, Chat


def answer(text, condition="generic"):
    chat = Chat(condition, briefing=BRIEFING)
    chat.say()
    return chat.say(text).casefold()


@pytest.mark.parametrize(
    "text",
    [
        "Same airline for both flights?",
        "Just these: one airline both ways? And your budget?",
        "should one airline serve both directions? 🙂 what's the budget",
        "Must both flights be with the same carrier? What may it cost at most?",
        "So a single airline throughout? I'd also need your budget.",
    ],
)
def test_whether_a_wish_is_so_is_answered_with_the_wish(text):
    said = answer(text)
    assert said.startswith("yes") and "same airline" in said, said


@pytest.mark.parametrize(
    "text",
    [
        "Still missing: 2 nights, yes or no?",
        "May I ask you to confirm that 2 nights is exactly what you want?",
        "Is it 2 nights? And which airline?",
        "2 nights, y/n?",
        "So you'd like to stay 2 nights, is that what you'd like?",
    ],
)
def test_what_is_asked_and_is_not_so_is_denied_with_the_wish(text):
    said = answer(text)
    assert said.startswith("no") and "wrong" not in said and "3 nights" in said, said


@pytest.mark.parametrize(
    "text",
    [
        "Budget: the maximum for the whole trip?",
        "Do you wish a certain cabin, seat position or the same airline in both directions?",
        "Flight times, cabin, seats, same airline? Hotel stars, room, bed?",
        "Attraction: a certain day, or at a certain time?",
        "Are airline and bed all the same to you?",
    ],
)
def test_a_question_that_plays_nothing_back_is_not_affirmed(text):
    said = answer(text)
    assert not said.startswith(("right", "that's right", "that is", "correct", "yes")), said


@pytest.mark.parametrize(
    "text",
    [
        "**Aisle seats** – on *both* flights, or only the outbound?",
        "Aisle, ok. Is that for both flights?",
        "Does the aisle apply to both legs?",
        "Do you want the aisle each way, or just on the way out?",
        "Aisle seats throughout, or only on the way home?",
    ],
)
def test_whether_a_wish_holds_for_all_is_answered(text):
    assert "aisle seats on both flights" in answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "so which one should i book, window or aisle?",
        "Window or aisle?",
        "Seats: window, middle or aisle – which shall I take?",
        "Would you rather sit by the window or on the aisle? I could book either.",
        "one last thing: aisle/window?",
    ],
)
def test_what_a_question_names_values_of_is_told_and_no_plan_is_seen_in_it(text):
    assert "aisle" in answer(text)
    assert "aisle" in answer(text, "terse")


@pytest.mark.parametrize(
    "text",
    [
        "You want the aisle, 4 stars and a queen bed. Is any of that wrong?",
        "Noted: aisle, 4 stars, a museum. Is anything mistaken?",
        "So far: aisle seats and 4 stars. Do you see anything wrong?",
        "I noted 4 stars and a queen bed. Anything incorrect there?",
    ],
)
def test_whether_anything_is_wrong_is_answered_with_no(text):
    assert answer(text).startswith(("no, ", "nope, "))


def test_what_is_wrong_among_it_is_named_instead():
    said = answer("Recap: from Phoenix, 2 people, aisle seats. Is anything above wrong?")
    assert "chicago" in said and not said.startswith(("no, ", "nope, "))


@pytest.mark.parametrize(
    "text",
    [
        "I've found your profile, with your Mastercard ending in 7401. Which city?",
        "I see a Mastercard ending in 7401 on file. From where do you leave?",
        "Your account shows a Mastercard ending in 7401. Your departure city?",
        "There is a Mastercard 7401 on your account. Where would you fly from?",
        "Thanks! I found you, with a Mastercard ending in 7401. Which airport do you leave from?",
    ],
)
def test_a_card_that_is_on_file_is_not_denied(text):
    assert "no" not in answer(text).replace(",", " ").split()[:1]


@pytest.mark.parametrize(
    "text",
    [
        "Option A: FL-1 Kestrel out, FL-2 Kestrel back, $300.00. Option B: FL-3 Nimbus out, FL-4"
        " Nimbus back, $350.00. A or B?",
        "Two ways out:\nOption A: FL-1, Kestrel, 08:00, $100.00 per person\nOption B: FL-3,"
        " Kestrel, 09:00, $120.00 per person\n\nEither goes with the return FL-2. Which option?",
        "Option A (Kestrel)\n1. FL-1 outbound, $100.00\n2. FL-2 return, $100.00\n\nOption B"
        " (Nimbus)\n1. FL-3 outbound, $200.00\n2. FL-4 return, $100.00\n\nWhich do you prefer?",
    ],
)
def test_an_option_is_named_by_its_letter_and_holds_no_shared_item(text):
    said = answer(text)
    assert "option a (fl-1" in said and "fl-3" not in said, said
    assert ("fl-2" in said) is ("Either" not in text), said


def test_what_is_chosen_for_two_slots_goes_together():
    text = (
        "Outbound: FL-1 (Kestrel Lines, $140.00 per person) or FL-3 (Bluefinch, $120.00"
        " per person).\nReturn: FL-2 (Kestrel Lines, $150.00 per person) or FL-4 (Stratoway,"
        " $110.00 per person).\nWhich pair would you like?"
    )
    said = answer(text)
    assert "fl-1" in said and "fl-2" in said, said


@pytest.mark.parametrize(
    "text",
    [
        "I've found everything you asked for. Shall I show you the details?",
        "Good news: it all fits. Would you like to see my plan?",
        "I have a plan. May I send it to you?",
        "The total comes to $900.00. Shall I list what is in it?",
        "I found three hotels. Do you want me to list them?",
    ],
)
def test_who_is_asked_whether_to_see_a_plan_wants_to_see_it(text):
    said = answer(text)
    assert "see" in said or "which ones" in said, said


@pytest.mark.parametrize(
    "wish",
    [
        "Two things, please: 1. A yes to this plan, or tell me what to change. 2. Add your card.",
        "I need a clear yes to the plan from you. Please add your card, too.",
    ],
)
def test_a_yes_is_given_beside_a_card_that_is_to_be_added(wish):
    said = Chat("generic")
    said.say()
    assert is_approval(said.say(f"{PLAN.rpartition(chr(10))[0]}\nTrip total: $1,010.00. {wish}"))
