"""What stands beside what is asked: others, other days, notes above a question, what else it is."""

import re

import pytest

from crab_graph.personas.briefing import Fact, FactLevel
from tests.personas.test_noted import CONDITIONS, WINDOWED, opened, until_nothing_is_new, until_told
from tests.personas.test_rules_user import FACTS, Chat
from tests.travel_words import TRAVEL

DENIES = re.compile(r"\b(?:wait|hold on|to be clear|let me be|mix-?up|one thing|plainly)\b")
THREE = [one for one in FACTS if one.key not in ("party_size", "traveller_names", "birth_dates")]
THREE += [Fact("party_size", 4, FactLevel.BASIC)]
OF_FOUR = TRAVEL.briefing(TRAVEL.slots, THREE, "S1-001", "2027-01-10")


def told_all(condition, briefing=WINDOWED):
    return until_nothing_is_new(opened(condition, briefing))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_others_are_not_all(condition):
    chat = Chat(condition, briefing=OF_FOUR)
    chat.say()
    said = chat.say(
        "Noted. I need your full name, and the full names of the other 3 travellers. Which seats"
        " would you like?"
    )
    assert not DENIES.search(said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_any_district_of_one_part_takes_nothing_back_of_the_same_district(condition):
    chat = told_all(condition)
    said = chat.say(
        "Hotel and outing in the same district, how easy. Let me read it back:\n"
        "- Hotel: at least 4 stars, any district as far as I know\n"
        "- Attraction: a museum, at any time of day, in the hotel's district\n\nIs that right?"
    )
    assert not DENIES.search(said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_asked_which_of_two_windows_holds_the_user_says_which(condition):
    first, last = next(one.value for one in FACTS if one.key == "departure_date")
    said = told_all(condition).say(
        f"You named two windows. Is it {first} to {last} on which you would leave, and are"
        " 2027-06-02 to 2027-06-06 out altogether?"
    )
    assert re.search(r"\b(?:right|correct|yes|may|05)\b", said.casefold()), said
    assert "any of those" not in said.casefold()


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_long_list_above_a_question_is_noted_and_no_choice(condition):
    said = told_all(condition).say(
        "What's on my list:\n- out and back with the same airline\n- aisle seats\n"
        "- at least 4 stars\n- hotel and museum in the same district\n- a museum\n"
        "- $1,500.00 in all\n\nIs that the lot, or is something still missing? If it's the lot,"
        " say so and I'll go pick."
    )
    assert not re.search(r"\b(?:said|again|once more|mention)", said.casefold()), said
    assert "same district" not in said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("tag", ["Right, or did I mix somebody up?", "Yes, or swap?"])
def test_what_else_it_would_be_is_no_second_question(condition, tag):
    said = told_all(condition).say(
        f"The first of you is Ana Ruiz, and the trip takes 3 nights. {tag}"
    )
    assert re.search(r"\b(?:right|correct|yes)\b", said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_whether_it_has_to_be_a_certain_day_is_no_question_of_a_must(condition):
    chat = opened(condition, WINDOWED)
    until_told(chat, "attraction_category", "What kind of attraction would you like?")
    said = chat.say("A museum, noted. Does it need to be in a certain area, or on a certain day?")
    assert not re.search(r"\b(?:must|insist)\b", said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_is_free_is_noted_also_where_the_agent_waits_for_a_word(condition):
    chat = opened(condition, WINDOWED)
    assert "any cabin" in chat.say("Which cabin would you like on the flights?").casefold()
    said = chat.say(
        "Any cabin then, and any fare, unless you tell me otherwise. Is there anything else, say"
        " for the hotel?"
    )
    assert "cabin" not in said.casefold(), said


def test_what_is_still_open_in_a_list_is_told_beside_extras():
    chat = Chat("terse", briefing=WINDOWED)
    chat.say()
    said = chat.say(
        "Still open: stops, baggage and refunds for the flights; and your total budget."
    )
    assert "1,500" in said


@pytest.mark.parametrize("condition", ["generic", "terse"])
def test_of_plans_whose_totals_stand_in_their_headings_the_cheapest_is_taken(condition):
    said = told_all(condition).say(
        "Two plans fit, both with Juniper Court Hotel (HT-3316), 4 stars, at $120.00 a night.\n"
        "A) May 4 to 7, museum. Total $1,310.00\n- Out FL-48213, aisle, $150.00\n"
        "- Back FL-20955, aisle, $140.00\n- Riverside Glass Museum (AT-50811), $35.00 per ticket\n"
        "B) May 4 to 7, museum. Total $1,410.00\n- Same flights as A\n"
        "- Harbor Map Museum (AT-50812), $85.00 per ticket\n\nShall it be A, or rather B?"
    )
    assert "AT-50812" not in said
    assert re.search(r"AT-50811|option A", said), said
