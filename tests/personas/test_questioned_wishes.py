"""What a user says to whether a wish is so: a yes or a no, and the wish itself."""

import pytest

from tests.personas.test_checking import BRIEFING
from tests.personas.test_rules_user import Chat


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
