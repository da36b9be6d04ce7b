"""What is asked beside wishes: how and in which order, whether it suits, what a word means."""

import re

import pytest

from tests.personas.test_noted import until_nothing_is_new
from tests.personas.test_rules_user import BOOKINGS, Chat

CONDITIONS = ("generic", "terse", "impatient", "neutral")
PUZZLED = re.compile(
    r"\b(?:meaning|what\?|don't quite follow|supposed to mean|don't understand)", re.I
)
EITHER = r"(?:as you like|either way|suits you|whatever|no strong view|as long as it fits)"
FINE = r"(?:no objection|carry on|fine|suit|would do|'d do|be all right|go ahead)"


def booked(condition, bookings=BOOKINGS):
    chat = Chat(condition, bookings=bookings)
    chat.say()
    return until_nothing_is_new(chat)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("Do you want it all in one message, or step by step?", EITHER),
        (
            "There are two hotels that fit. Is price what decides here?",
            f"{EITHER}|choice|pick|choose",
        ),
        ("As it makes no difference to you, I'd go with the cheaper pair. Any objection?", FINE),
        ("Do you know how approving works, or do you need a hint from me?", "need"),
        (
            "Have you been there before, or is it your first time? I love that town!",
            "trip|go on|skip",
        ),
        ("Does your Visa have a daily limit that I should know about?", "not that i|wouldn't know"),
        ("Is Ana Ruiz spelled like that in the passport?", "right|correct"),
        ("Your name would be A-N-A R-U-I-Z on the ticket, correct?", "right|correct"),
        (
            "Which would you rather have?\n\nA) Glass Museum, May 5, 09:45, $21.10 per ticket\n"
            "B) Map Museum, May 5, 09:55, $23.60 per ticket",
            f"{EITHER}|choice|pick|choose|decide",
        ),
    ],
)
def test_what_is_asked_beside_wishes_gets_an_answer_of_its_own(condition, asked, says):
    said = booked(condition, ()).say(asked)
    assert re.search(says, said.casefold()), said
    assert not PUZZLED.search(said)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "Would you like to pay for all of it at once, or the flights first and the rest later?",
        "Which booking should I charge first, or does the order not matter?",
    ],
)
def test_the_order_of_what_is_left_is_left_to_the_agent(condition, asked):
    said = booked(condition).say(f"All four are reserved. {asked}")
    assert re.search(EITHER, said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "Two payments are still open. Shall we do the remaining two together?",
        "Once you have okayed all four on your card, tell me and I'll charge it.",
    ],
)
def test_what_is_still_to_be_paid_is_approved_in_whatever_words_that_is_asked(condition, asked):
    chat = booked(condition)
    chat.say(f"{', '.join(one['booking_id'] for one in BOOKINGS)} are held for you. {asked}")
    assert chat.approvals()


@pytest.mark.parametrize("condition", CONDITIONS)
def test_nothing_is_said_to_be_missing_of_what_the_agent_says_it_comes_to(condition):
    chat = Chat(condition, bookings=BOOKINGS[:1])
    chat.say()
    said = chat.say(
        "The outbound flight is booked (BK-00000001). I will carry on with the return flight, the"
        " hotel and the museum now."
    )
    assert not re.search(r"\b(?:missing|don't see|can't find|not there)\b", said), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_recap_is_read_to_its_end_behind_a_short_word(condition):
    said = booked(condition, ()).say(
        "Here is everything:\n1. **Flights:** aisle seats\n2. **Hotel:** min. 4 stars\n"
        "3. **Attraction:** a museum\n4. **Budget:** $1,700.00 in total\n\nIs all of this right?"
    )
    assert "1,500" in said


@pytest.mark.parametrize("condition", ["terse+d3", "impatient+d3", "neutral+d3"])
def test_part_of_a_month_is_no_part_of_a_day(condition):
    """A vague day is spoken of in the agent's words, and told exactly."""
    found = 0
    for seed in range(40):
        chat = Chat(condition, seed)
        first = chat.say().casefold()
        if vague := re.search(r"\b(?:early|mid|late) (?:may|april)\b", first):
            found += 1
            said = chat.say(f'You wrote "{vague[0]}". Is {vague[0]} certain, or might it change?')
            assert re.search(r"\b(?:may|05)\b", said.casefold()), said
            assert "departure_date" in chat.told()[1:], said
    assert found
