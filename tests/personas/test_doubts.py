"""D3: what a user says with doubt at first is vague, a slip or right, and marked as doubted."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import How
from crab_graph.personas.doubt_values import doubtful_sayings, saying_words
from crab_graph.personas.wording import word_value
from tests.personas.clinic_briefing import PATIENT
from tests.personas.test_rules_user import BRIEFING, Chat

DOUBTING = replace(Behavior(), doubts=2, slips=1)
SURE = {"customer_id", "email", "traveller_names", "birth_dates", "payment_card", "party_size"}


@given(seed=st.integers(0, 10_000), briefing=st.sampled_from([BRIEFING, PATIENT]))
@settings(max_examples=100)
def test_every_episode_has_a_slip_and_another_doubt_on_what_may_be_doubted(seed, briefing):
    sayings = doubtful_sayings(briefing, DOUBTING, seed)
    assert sayings == doubtful_sayings(briefing, DOUBTING, seed)
    assert len(sayings) == 2 and SURE.isdisjoint(sayings)
    assert sum(saying.how is How.WRONG for saying in sayings.values()) == 1
    marks = saying_words()["doubt"]["plain"]
    for key, saying in sayings.items():
        assert saying.mark in marks
        if saying.how is How.WRONG:
            words = briefing.lexicon.facts[key]
            true = [word_value(words.form, briefing.fact(key).value, words, n) for n in range(3)]
            assert saying.value not in true


QUESTIONS = {
    "departure_date": "Which date exactly do you leave?",
    "nights": "How many nights exactly do you stay?",
    "outbound_time_of_day": "What time of day for the outbound flight, exactly?",
    "seat_position": "Which seat position is it: window or aisle?",
    "hotel_stars": "How many stars exactly should the hotel have?",
    "attraction_category": "What kind of attraction is it exactly?",
    "budget": "What is your budget, exactly?",
}


def has_mark(text):
    marks = [mark for marks in saying_words()["doubt"].values() for mark in marks]
    return any(mark.casefold() in text.casefold() for mark in marks)


@pytest.mark.parametrize("condition", ["d3", "ruse", "terse+d3", "neutral+d3", "impatient+d3"])
def test_what_is_doubted_first_is_exact_and_sure_when_it_is_asked_for_again(condition):
    doubted = set()
    for seed in range(5):
        chat = Chat(condition, seed)
        text = chat.say()
        for question in QUESTIONS.values():
            text += "\n" + chat.say(question)
        rows = [row for row in chat.state["disclosed"] if row["how"] != "exact"]
        keys = {row["key"] for row in rows}
        assert len(rows) == len(keys) <= 2 and keys <= QUESTIONS.keys()
        assert has_mark(text) == bool(rows)
        for key in keys:
            chat.say(QUESTIONS[key])
            last = [row for row in chat.state["disclosed"] if row["key"] == key][-1]
            assert last["how"] == "exact" and "said" not in last
        again = [chat.say(QUESTIONS[key]) for key in QUESTIONS]
        assert not any(map(has_mark, again))
        doubted |= keys
    assert len(doubted) > 1 or condition == "ruse"


def test_a_slip_that_is_played_back_is_corrected_and_the_right_value_affirmed():
    for seed in range(40):
        chat = Chat("d3", seed)
        chat.say()
        rows = {row["key"]: row for row in chat.state["disclosed"]}
        if rows["seat_position"]["how"] != "wrong":
            continue
        text = chat.say("So you want window seats, is that right?")
        assert "aisle" in text.casefold() and not has_mark(text)
        chat = Chat("d3", seed)
        chat.say()
        text = chat.say("Just to confirm: aisle seats for both flights?")
        assert not has_mark(text) and "window" not in text.casefold()
        break
    else:
        raise AssertionError("no slip of the seat was drawn")


def test_a_slip_that_is_asked_about_beside_what_is_right_gets_no_yes():
    for seed in range(60):
        chat = Chat("d3", seed)
        chat.say()
        slips = [row for row in chat.state["disclosed"] if row["how"] == "wrong"]
        if [row["key"] for row in slips] == ["nights"]:
            break
    else:
        raise AssertionError("no slip of the nights was drawn")
    said = chat.say(
        "From Chicago to Pittsburgh for 2 people, is that right?\n\n"
        f"2. **Nights:** is it definitely **{slips[0]['said'].split()[0]}**?"
    )
    assert "3 nights" in said and not said.casefold().startswith(("yes", "that", "right")), said


def test_persona_and_ruse_differ_in_what_was_said_and_how():
    for seed in range(3):
        records = []
        for condition in ("persona", "ruse"):
            chat = Chat(condition, seed)
            chat.say()
            for question in QUESTIONS.values():
                chat.say(question)
            records.append(
                [(row["key"], row["turn"], row["how"]) for row in chat.state["disclosed"]]
            )
        assert records[0] != records[1]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Please tell me the hotel stars exactly. Is there anything else I should know?", "4"),
        ("What star rating do you want exactly? And is there anything else?", "4"),
        ("Are you sure about the hotel stars?", "4"),
        ("Are you sure about the morning departure?", "morning"),
        ("Which star rating exactly?", "4"),
        ("Is the star rating firm?", "4"),
        ("I need the stars nailed down. Anything else on your mind?", "4"),
        ("You said 3 or 4 stars: which is it? Is there anything else you need?", "4"),
        ("Is the museum fixed or flexible? Anything else?", "museum"),
        ("Definitely 4 stars?", "yes"),
        ("4 stars, is that confirmed?", "4"),
        ("Morning for the outbound flight - is that definite?", "yes"),
    ],
)
def test_what_is_pinned_down_is_answered_whatever_else_is_asked(text, value):
    for seed in range(3):
        chat = Chat("d3", seed)
        chat.say()
        for answer in (chat.say(text), chat.say(text)):
            said = answer.casefold()
            is_yes = "correct" in said or said.startswith(("right", "that's right"))
            assert value in said or is_yes, (seed, answer)
            assert not has_mark(answer)


@pytest.mark.parametrize("seed", (21, 79, 115))
@pytest.mark.parametrize("condition", ("d3", "terse+d3"))
def test_a_number_noted_as_one_of_two_is_settled_by_no_yes(condition, seed):
    chat = Chat(condition, seed)
    (said,) = re.findall(r"\d or \d nights", chat.say())
    answer = chat.say(
        f"Noted: Chicago to Pittsburgh, {said} (to be settled), two travellers, flights, hotel, one"
        " attraction. Correct so far?\n\nPlease send:\n1. Your customer id or email.\n"
        "2. Full name and date of birth of each of the two travellers."
    )
    assert "3 nights" in answer and said not in answer, answer
