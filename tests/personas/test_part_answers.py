"""What a user answers to each part of a message: play-backs, firmness, lists, small talk."""

import pytest

from crab_graph.personas.briefing import Fact
from crab_graph.personas.options import OptionChoice
from crab_graph.personas.play_backs import read_play_back
from crab_graph.personas.stated_people import people_in
from crab_graph.personas.understanding import Reading
from tests.personas.test_checking import BRIEFING as KNOWING
from tests.personas.test_manners import told_all
from tests.personas.test_rules_user import FACTS, Chat
from tests.travel_words import TRAVEL

LOOSE = TRAVEL.briefing(TRAVEL.slots, FACTS, "S1-001", "2027-01-10")


def played(text, briefing=KNOWING):
    return read_play_back(Reading(text, briefing.lexicon, briefing.slots), briefing)


@pytest.mark.parametrize(
    "text",
    [
        "Here is what I have so far:\n\n| Item | Wish |\n|---|---|\n"
        "| Dates | **2027-05-04** → **2027-05-07** (3 nights) |\n"
        "| Return | night (17:00–23:59), aisle |\nIs that right?",
        "Noted: flight home from Pittsburgh at night, out in the morning. Correct?",
        "So you fly homeward from Pittsburgh at night. Is that right?",
        "Out May 4 -> back May 7, check-in May 4, check-out May 7. Right?",
    ],
)
def test_true_statements_are_not_denied(text):
    assert played(text).wrong == ()
    assert played(text).is_asked


@pytest.mark.parametrize(
    "text",
    [
        "Is your departure day totally up to me between the 3rd and 7th?",
        "Is any departure date between May 3 and May 7 agreeable to you?",
        "Are your dates flexible from the 3rd to the 7th of May?",
    ],
)
def test_a_range_of_days_is_free_within_its_bounds(text):
    assert played(text, LOOSE).right == ("departure_date",)
    assert played(text, LOOSE).wrong == ()


@pytest.mark.parametrize(
    "text",
    [
        "Is $1,500.00 a firm maximum?",
        "Budget: $1,500.00 in total. Firm?",
        "Is the budget of $1,500.00 the absolute limit?",
    ],
)
@pytest.mark.parametrize("condition", ["generic", "neutral", "terse"])
def test_a_wish_that_is_firm_gets_a_yes(text, condition):
    answer = told_all(condition).say(text).casefold()
    assert any(
        word in answer for word in ("right", "correct", "yes", "yep", "exactly", "true", "must")
    )
    assert "attraction" not in answer


@pytest.mark.parametrize("text", ["Is $1,900.00 a firm maximum?", "Budget: $1,900.00. Firm?"])
def test_what_is_no_wish_gets_no_yes(text):
    assert played(text).wrong == ("budget",)


def test_a_wrong_play_back_is_corrected_beside_another_question():
    chat = told_all("neutral")
    answer = chat.say(
        "So you would go out in the evening. Have I got that right? And which bed would you like?"
    )
    assert "morning" in answer
    assert "bed" in answer


@pytest.mark.parametrize(
    "text",
    [
        "$70.00 per person; Alder Lane Hotel (HT-1258), 2 stars",
        "Back FL-27126 Transvale 8 Oct, 3 people: Ana Ruiz, Leo Ruiz.",
        "Ana Hill Lodge (HT-1258) at $70.00 per guest. Leo Gate Inn (HT-2211).",
        "The one error was Ana Ruiz's date of birth, and Leo Ruiz’s is right.",
    ],
)
def test_what_is_booked_is_nobody(text):
    names = ["Ana Ruiz", "Leo Ruiz"]
    found = {one.name for one in people_in(text, names, LOOSE.lexicon, "2027-01-10")}
    assert found <= {*names}


def test_the_first_questions_are_answered_first_and_what_is_free_in_one_breath():
    chat = Chat("d2")
    chat.say()
    answer = chat.say(
        "Still open:\n[ ] Bed type\n[ ] Room type\n[ ] Hotel stars\n[ ] Attraction kind\n"
        "[ ] Seat position\n[ ] Budget\nPlease answer every line."
    )
    assert "any room type" in answer.casefold()
    assert "any bed" in answer.casefold()
    assert "4 stars" in answer
    assert "aisle" not in answer


def test_what_is_free_is_said_in_one_breath_while_wishes_are_left():
    chat = Chat("neutral")
    chat.say()
    answer = chat.say("Which bed, which cabin, and at what time of day would you fly back?")
    assert "any bed" in answer.casefold()
    assert answer.count("will do") == 1


@pytest.mark.parametrize("number", ["2.2", "B.2", "§2"])
def test_the_numbers_of_a_form_count_nothing(number):
    text = f"1.1 Trip: noted.\n{number} Traveller's full name: ______\n2.3 Budget: $______\n"
    assert played(f"{text}Kindly fill in and confirm.").wrong == ()
    assert {"traveller_names", "budget"} <= {*Reading(text, KNOWING.lexicon, KNOWING.slots).asked}


def test_a_bare_day_is_that_of_any_wish_with_a_day():
    days = {fact.key: str(fact.value) for fact in KNOWING.facts if fact.key == "attraction_date"}
    day = days["attraction_date"]
    assert played(f"{day} it is. What time of day suits you for it?").wrong == ()
    assert played(f"Leaving on {day}, right?").wrong == ("departure_date",)


def test_boxes_to_choose_from_play_nothing_back():
    text = "Noted so far: economy.\nSeat position – ☐ no preference ☐ as follows: ____\nRight?"
    assert "seat_position" not in played(text).wrong


def test_what_is_free_is_said_again_to_who_asks_for_it_again():
    chat = Chat("terse")
    chat.say()
    for _ in range(2):
        answer = chat.say("Which hotel stars do you want, and which bed?").casefold()
        assert "bed" in answer or "doesn't matter" in answer


def test_options_counted_in_words_are_named_so():
    assert OptionChoice("one", ("FL-48213",), frozenset()).as_words() == "number one (FL-48213)"
    assert OptionChoice("b", (), frozenset()).as_words() == "option B"


@pytest.mark.parametrize("seed", range(6))
def test_small_talk_is_rare_and_never_said_twice(seed):
    chat = Chat("neutral+d1", seed)
    said = [chat.say()]
    said += [
        chat.say(f"And once more, question {n}: which bed, and which seats?") for n in range(9)
    ]
    lexicon = LOOSE.lexicon
    told = "\n".join(said).casefold()
    counts = [
        told.count(aside.casefold().rstrip("."))
        for aside in (*lexicon.asides, *lexicon.asides_short)
    ]
    assert max(counts) <= 1
    assert sum(counts) <= 5


def test_days_of_what_is_played_back_are_not_those_of_something_else():
    facts = [Fact(one.key, one.value, one.level) for one in FACTS]
    chat = Chat("generic", briefing=TRAVEL.briefing(TRAVEL.slots, facts, "S1-001", "2027-01-10"))
    chat.say()
    answer = chat.say(
        "Might you confirm that any day from the 3rd to the 7th of May would be acceptable?"
    )
    assert "attraction" not in answer.casefold()


@pytest.mark.parametrize(
    "text",
    [
        "Understood, Ms Ruiz, and I shall keep it brief. Might I have your seat wishes?",
        "The first Tuesday of May 2027 is May 4, so you leave on May 4, 2027. Is that right?",
        "i make the first tuesday of may 2027 the 4th. sound right?",
        "You leave on 4 May 2027. Is that date window right?",
    ],
)
def test_an_address_a_month_with_its_year_and_a_date_window_deny_nothing(text):
    chat = Chat("generic")
    chat.say()
    answer = chat.say(text)
    assert not chat.told("corrected"), answer
    assert answer.startswith("Yes") or "right" in answer or "ms ruiz" in text.casefold()
    assert not answer.startswith("No")
