"""What agents say that write in no voice but their own: notes over questions, new plans, units."""

import re

import pytest

from crab_graph.domain.english import form_of
from crab_graph.personas.clause_splits import split_message
from crab_graph.personas.failed_cards import told_of_limits
from crab_graph.personas.mended_bookings import withdrawn_in
from tests.domain.test_unwished_words import PARTY
from tests.domain.test_unwished_words import settled as settled_party
from tests.personas.clinic_briefing import PATIENT
from tests.personas.test_parts_asked_of import answered, told_first
from tests.personas.test_parts_of_jobs import CONDITIONS, OBJECTS, settled
from tests.personas.test_rules_user import BOOKINGS, PLAN, Chat
from tests.personas.tour_briefing import TOURIST

NOTES = (
    "Thank you, noted. Here is what I have, with a few points to settle:\n\n"
    "- Zurich to Brussels, Brussels to Hamburg, and back to Zurich\n"
    "- Any carrier, as long as it is the same\n"
    "- All three legs in standard class, at any time of day\n\n"
    "My questions:\n\n"
    "1. Second attraction: do you want a particular kind, or is anything fine?"
)
OTHER_PLAN = (
    PLAN.replace("HT-3316", "HT-3399")
    .replace("AT-50811", "AT-50899")
    .replace("FL-48213", "FL-48299")
    .replace("FL-20955", "FL-20999")
)


def test_what_stands_under_notes_is_no_request_whatever_they_announce():
    _, segments = split_message(NOTES, TOURIST.lexicon)
    asked = [one.text for one in segments if one.is_request]
    assert any("second attraction" in text for text in asked)
    assert not any("standard class" in text or "any carrier" in text for text in asked)


def test_a_kind_is_asked_for_by_that_word_alone():
    _, told = told_first("terse", "tourist", "Second attraction: a particular kind, day or time?")
    assert "second_visit_category" in told


@pytest.mark.parametrize("condition", ["terse", "impatient", "neutral"])
def test_a_wish_for_all_legs_is_told_as_such_to_who_asks_for_the_first_one(condition):
    said, told = told_first(condition, "tourist", "What do you want of the first leg: which class?")
    assert "travel_class" in told
    assert re.search(r"all three legs|all legs", said), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "One thing for now: is there a carrier you would like, or may it be any of them?",
        "Any preference on the carrier (EuroLink or Nordway), or is any carrier fine?",
    ],
)
def test_what_is_only_to_be_the_same_is_called_by_its_name(condition, asked):
    assert "no particular carrier" in answered(condition, "tourist", asked)


def test_the_hall_s_own_district_is_the_same_one():
    said = settled("generic", TOURIST).say(
        "So: a concert in the Hamburg hotel's own district, any district at all. Is that right?"
    )
    assert not re.search(OBJECTS, said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_any_one_if_it_is_the_same_is_the_same_one(condition):
    said = answered(
        condition,
        "tourist",
        "So any carrier is fine if it's the same on all three legs, and no price limit. Right?",
    )
    assert not re.search(OBJECTS, said), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_where_a_tour_ends_is_said_beside_a_yes(condition):
    said = answered(
        condition,
        "tourist",
        "I have Rafael Calloway, 1996-02-26, and Noor Keller, 1984-06-30. Tell me if that is wrong."
        " Next: where does the third leg go from Hamburg (back to Zurich?), and any wish on seats?",
    )
    assert "zurich" in said, said


@pytest.mark.parametrize("condition", ["generic", "neutral"])
def test_two_attractions_by_their_kinds_are_two(condition):
    said = answered(
        condition,
        "tourist",
        "A concert in Hamburg, noted. Which time of day for the museum and the concert?",
    )
    assert "first attraction" in said and "second attraction" in said, said


@pytest.mark.parametrize(
    "asked",
    [
        "Do tell me if those {n} days after the GP still hold, won't you?",
        "Do you mean to stick with the {n} days, or can the specialist be later?",
    ],
)
def test_days_within_which_something_is_to_be_are_told_to_who_asks_if_they_hold(asked):
    days = next(fact.value for fact in PATIENT.facts if fact.key == "within")
    said = settled("generic", PATIENT).say(asked.format(n=days)).casefold()
    assert f"within {days} days" in said, said


def test_who_bounds_a_day_does_not_say_that_any_will_do():
    said = settled("generic", PATIENT).say("Which day for the specialist consultation?").casefold()
    assert "any day is welcome" not in said, said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        f"Not all of it fits any more, so here is a new plan.\n{OTHER_PLAN}\n"
        "If you approve, I book these and cancel the four pending ones."
        " Please don't approve payments for those.",
        f"A new plan in place of the four pending bookings:\n{OTHER_PLAN}",
    ],
)
def test_nobody_pays_for_what_a_plan_takes_the_place_of(condition, asked):
    chat = Chat(condition, bookings=BOOKINGS)
    chat.say()
    chat.say(asked)
    assert not chat.approvals()


def test_what_a_booking_that_is_to_go_is_called_is_said_of_nothing_in_its_place():
    said, gone = withdrawn_in(
        "If you approve, I'll book PH-2 and cancel the pending shoulder booking BK-55877584 ($9)."
    )
    assert gone == {"BK-55877584"} and "shoulder" not in said and "PH-2" in said


def test_who_owes_pays_nothing_to_who_asks_for_no_approvals():
    for seed in range(40):
        chat = Chat("d4", seed=seed, bookings=BOOKINGS)
        chat.say()
        chat.say("All four are booked. Please approve the four payments with your card.")
        if 0 < len(chat.approvals()) < len(BOOKINGS):
            before = len(chat.approvals())
            chat.say("Thanks. Please hold off on the other approvals for now, I am checking.")
            assert len(chat.approvals()) == before
            return
    raise AssertionError("nobody paid in parts")


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("Would a duo, a trio or a quartet please you most?", "any lineup"),
        ("The band: dinner time or late in the evening?", "any time"),
        ("Should the band play at dinner time, or late in the evening?", "any time"),
    ],
)
def test_words_for_values_with_others_between_them_ask_for_one(condition, asked, says):
    assert says in settled_party(condition).say(asked).casefold()


def test_a_number_that_nobody_wishes_for_has_its_words():
    minutes = PARTY.lexicon.unwished["photos_minutes"]
    asked = "any preference for length (120 or 180 minutes)?"
    assert any(cue.search(asked) for cue in minutes.asks)


@pytest.mark.parametrize(
    ("unit", "said"), [("kilometre", "4 km"), ("minute", "90 mins"), ("square metre", "9 m²")]
)
def test_units_are_found_by_their_short_forms(unit, said):
    assert re.search(rf"\b\d+ {form_of(unit)}(?!\w)", said)


AMEX = [
    {"card_id": "CD-1", "brand": "American Express", "last4": "3438", "payment_method_id": "PM-1"},
    {"card_id": "CD-2", "brand": "American Express", "last4": "2013", "payment_method_id": "PM-2"},
]


def test_of_two_cards_of_one_brand_the_one_named_by_its_number_bears_no_more():
    said = (
        "The bank declined it: your American Express ending in 3438 bears only $950.00 a day. "
        "The American Express has $335.90 left today, and can't take more."
    )
    assert told_of_limits([said, "Declined once more."], AMEX, ["PM-1", "PM-2"]) == {"PM-1"}


def test_what_another_card_is_to_bear_is_no_limit_of_the_one_named_before():
    said = (
        "PM-1 was declined this time. PM-2 bears at most $800.00 a day, which is not enough."
        " I try PM-1 again. Or you add a third card that bears $897.50 or more a day."
    )
    assert told_of_limits([said], AMEX, ["PM-1", "PM-2"]) == {"PM-2"}
    # Where only the first was paid with, none of those bears no more.
    assert told_of_limits([said], AMEX, ["PM-1"]) == set()


def test_what_was_declined_once_is_tried_again_where_that_is_offered_beside_another_card():
    chat = Chat("generic", bookings=BOOKINGS)
    chat.say()
    chat.say("All four are booked. Please approve the four payments with your card.")
    made = len(chat.approvals())
    said = chat.say(
        "The bank declined BK-00000004, $70.00, this time. Shall I try the same card again, or "
        "would you rather use another card?"
    )
    assert re.search(r"again|another go|once more", said) and len(chat.approvals()) == made
