"""The one thing asked comes first: what a question keeps to, what it notes, what is meant."""

import pytest

from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.stated_plans import read_plan
from crab_graph.personas.turned_plans import turned_right
from crab_graph.personas.understanding import Reading
from tests.personas.test_checking import BRIEFING as KNOWING
from tests.personas.test_manners import told_all
from tests.personas.test_part_answers import played
from tests.personas.test_rules_user import PLAN, Chat
from tests.personas.test_stated_plans import BRIEFING as WHOLE
from tests.travel_words import TRAVEL

STORY = (
    "Transvale takes you out on Tuesday 4 May 2027 on flight FL-48213, 07:35. Transvale brings you"
    " home on Friday 7 May on flight FL-20955, 19:40, which also suits on the way out."
)
DATED = TRAVEL.briefing(
    TRAVEL.slots,
    [
        Fact("departure_date", "2027-05-04", FactLevel.BASIC),
        Fact("nights", 3, FactLevel.BASIC),
        Fact("outbound_time_of_day", "morning", FactLevel.DETAIL),
    ],
    "S1-001",
    "2027-01-10",
)


def objected(text):
    plan = read_plan(Reading(text, DATED.lexicon, DATED.slots), DATED.slots)
    return contradictions(turned_right(plan, DATED), DATED)


def test_two_flights_told_as_a_story_are_those_whose_days_fit():
    assert objected(f"{STORY} Shall I book both?") == []


@pytest.mark.parametrize(
    ("was", "becomes"), [("4 May", "5 May"), ("7 May", "8 May"), ("07:35", "17:35")]
)
def test_what_is_wrong_in_a_story_is_still_objected_to(was, becomes):
    assert objected(f"{STORY.replace(was, becomes)} Shall I book both?")


@pytest.mark.parametrize(
    "text",
    [
        "The dates are thus certified, and the account is noted. Please send the blanks.",
        "Hotel: any district, shared w/ attraction. Is that right?",
        "Noted. Pay with any card you like, is that right?",
    ],
)
def test_words_that_only_look_like_another_value_deny_nothing(text):
    assert all(played(text, one).wrong == () for one in (WHOLE, KNOWING, DATED))


def test_a_district_of_any_kind_is_still_no_shared_one():
    text = "Hotel and attraction: any district. Is that right?"
    assert "same_district" in played(text, WHOLE).wrong


@pytest.mark.parametrize("condition", ["terse", "impatient"])
@pytest.mark.parametrize(
    "question",
    [
        "**Bed** then: any wishes?",
        "Do you have any wishes for the room, such as its bed?",
    ],
)
def test_an_open_question_about_one_thing_gets_no_other_wish(condition, question):
    chat = Chat(condition)
    chat.say()
    chat.say(question)
    assert chat.told("asked") in ([], ["hotel_stars"])


def test_an_open_question_about_all_still_gets_what_is_left():
    chat = Chat("terse")
    chat.say()
    chat.say("Any other wishes, for the hotel or anything else?")
    assert chat.told("asked")


def test_what_is_noted_as_free_is_not_said_to_be_free_again():
    chat = Chat("generic")
    chat.say()
    chat.say("Which room type would you like?")
    said = chat.say("Any type of room will please you. And is there a sum not to be exceeded?")
    assert "room" not in said.casefold()
    assert "1,500" in said


@pytest.mark.parametrize("condition", ["generic", "neutral", "terse", "impatient"])
def test_what_a_yes_meant_is_said_when_that_is_asked(condition):
    chat = told_all(condition)
    chat.say(PLAN)
    said = chat.say('Sorry: does your "yes" mean "please book it", or is there another wish?')
    assert any(word in said.casefold() for word in ("yes", "go ahead", "book"))


def test_what_is_more_is_told_when_that_is_asked():
    chat = Chat("terse")
    chat.say()
    chat.say("Noted so far. What's the more?")
    assert chat.told("asked")


@pytest.mark.parametrize(
    "text", ["Shall it be the 5th of May 2027?", "Is it indeed the 5th of May 2027 you leave?"]
)
def test_a_day_that_is_asked_about_is_checked(text):
    assert played(text, DATED).wrong == ("departure_date",)
    assert played(text.replace("5th", "4th"), DATED).right == ("departure_date",)


def test_a_check_without_anything_to_book_gets_no_yes_to_a_plan():
    chat = told_all("generic")
    chat.say(PLAN)
    said = chat.say("Are these ok, yes/no?\nAna Ruiz 1990-04-02\nLeo Ruiz 1988-11-23")
    assert any(word in said.casefold() for word in ("right", "correct"))
    assert not any(word in said.casefold() for word in ("go ahead", "book"))


def test_a_card_that_is_asked_about_is_checked():
    assert played("And pay with your Visa 2245?", KNOWING).wrong == ("payment_card",)
    assert played("And pay with your Visa 4242?", KNOWING).right == ("payment_card",)


@pytest.mark.parametrize(
    "question", ["Which bit did I get wrong?", "What exactly was wrong, the seats or the hotel?"]
)
def test_what_was_wrong_is_said_again_to_who_asks(question):
    chat = told_all("generic")
    chat.say("You want window seats, is that right?")
    assert "aisle" in chat.say(question).casefold()


def test_what_was_asked_for_before_comes_before_what_is_asked_now():
    chat = Chat("terse")
    chat.say()
    chat.say("Your customer id, please, and what is your budget?")
    assert "1,500" in chat.say("Which attraction would you like, and what is your budget?")


@pytest.mark.parametrize("condition", ["terse", "impatient"])
def test_a_wish_that_is_invited_comes_before_a_yes_beside_a_card(condition):
    chat = Chat(condition)
    chat.say()
    plan = PLAN.replace(", aisle", "").replace("Shall I book all four?", "")
    said = chat.say(
        f"{plan} Please add your card to the platform. Do you have any other wishes, or do you"
        " approve this plan so that I can book it?"
    )
    assert not any(word in said.casefold() for word in ("yes", "go ahead", "book it"))


def test_before_noon_is_the_morning():
    assert played("Out before noon, aisle seats. Right?", KNOWING).right
    assert not played("Out before noon, aisle seats. Right?", KNOWING).wrong
    assert played("Out around noon. Right?", KNOWING).wrong == ("outbound_time_of_day",)


def test_hours_of_the_night_are_no_number_of_nights():
    assert not played("Any preference (morning 6-12, midday 12-17, night 17 on)?", KNOWING).wrong
    assert played("Nights: 9, right?", KNOWING).wrong == ("nights",)
    assert played("Nights 9, aisle seats. Right?", KNOWING).wrong == ("nights",)
