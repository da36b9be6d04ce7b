"""What is asked in lists of what is open: what is left to say of each point, and nothing else."""

import re

import pytest

from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.stated_plans import read_plan, read_plans
from crab_graph.personas.turned_plans import turned_right
from crab_graph.personas.understanding import Reading
from tests.personas.test_parts_asked_of import answered, told_first
from tests.personas.test_parts_of_jobs import CONDITIONS
from tests.personas.test_rules_user import Chat
from tests.personas.tour_briefing import TOURIST
from tests.travel_words import TRAVEL

OPEN_POINTS = (
    "Perfect, noted. These points are still open:\n"
    "- **Hotels:** how many stars, and is there a particular district, in Brussels and Hamburg?\n"
    "- **Carrier:** any preference?"
)
NEXT_UP = (
    "**Still open**\n☐ Brussels attraction: kind\n☐ Districts or other must-haves for the hotels\n"
    "\n**Next up: the Brussels attraction**\n"
    "Would you like a museum, a walk or a concert, or is any of them fine?"
)
IN_PARTS = (
    "- **Attractions:** any particular time of day or date?\n"
    "- **Prices:** is there a price limit per ticket?\n"
    "- If several plans fit, shall I pick the cheapest?"
)
BUSINESS = TRAVEL.briefing(
    TRAVEL.slots,
    [
        Fact("departure_date", "2027-08-09", FactLevel.BASIC),
        Fact("nights", 3, FactLevel.BASIC),
        Fact("seat_type", "premium economy", FactLevel.DETAIL),
    ],
    "S1-001",
    "2027-05-10",
)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_is_new_is_said_beside_what_is_only_to_be_the_same(condition):
    chat = Chat(condition, briefing=TOURIST)
    chat.say()
    chat.say("Should the Hamburg hotel and the Hamburg attraction be in the same district?")
    assert re.search(r"\b3 stars\b", chat.say(OPEN_POINTS))


def test_a_wish_that_binds_two_kinds_is_told_to_who_asks_for_one_of_them():
    _, told = told_first("neutral", "varied", NEXT_UP)
    assert "unlike_kinds" in told


@pytest.mark.parametrize("condition", ["terse", "impatient", "neutral"])
def test_what_holds_of_two_parts_is_said_of_both_or_of_none(condition):
    said, _ = told_first(condition, "tourist", IN_PARTS)
    for thing in ("day", "time of day"):
        assert re.search(
            rf"any {thing} for the first attraction and the second attraction", said
        ), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_an_airline_that_nobody_named_is_nobody_s_name(condition):
    said = answered(
        condition,
        "tourist",
        "Both trains will be with one company, and I'll take it that any company is fine unless"
        " you name one. Is there anything else, or is that the full list?",
    )
    assert not re.search(r"rafael|noor|wait|hold on|no,? (?!nothing)", said), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "Is the GP's district only a fallback for the test, or are the two equally welcome?",
        "For the lab test, does the morning come first, and the GP's district only if none fits?",
    ],
)
def test_who_asks_which_of_two_comes_first_hears_that_neither_does(condition, asked):
    said = answered(condition, "either", asked)
    assert re.search(r"either will do|equally welcome|as good as the other", said), said


def plan_of(*texts):
    readings = [Reading(text, BUSINESS.lexicon, BUSINESS.slots) for text in texts]
    earlier = read_plans(texts[:-1], BUSINESS)
    return turned_right(read_plan(readings[-1], BUSINESS.slots, earlier), BUSINESS)


BEFORE = (
    "You leave on 2027-08-05 with Stratoway, flight FL-89660, in business at $541.70. Stratoway"
    " brings you home on 2027-08-08 with flight FL-89666, business seats at $541.70 per person."
    " Shall I book it?"
)
AFTER = (
    "So here is the new plan. You leave on 2027-08-09 with Aurelia Air, flight FL-96470, premium"
    " economy seats at $292.90 per person. Aurelia Air brings you home on 2027-08-12 with flight"
    " FL-60931, {seats} seats at $287.10 per person. Shall I book it?"
)


def test_a_new_flight_home_takes_the_place_of_the_one_before():
    plan = plan_of(BEFORE, AFTER.format(seats="premium economy"))
    assert (plan.items["FL-96470"], plan.items["FL-60931"]) == ("outbound", "return")
    assert contradictions(plan, BUSINESS) == []


def test_what_is_wrong_in_the_new_flight_is_still_wrong():
    plan = plan_of(BEFORE, AFTER.format(seats="business"))
    assert contradictions(plan, BUSINESS) == ["seat_type"]


SWAPPED = TRAVEL.briefing(
    TRAVEL.slots,
    [Fact("attraction_category", "museum", FactLevel.DETAIL)],
    "S1-001",
    "2027-05-10",
)


@pytest.mark.parametrize(
    "text",
    [
        "Cancel the Tannery Baroque Tour, AT-80527 (BK-92527555), no cost\n"
        "- Book the Elm Street Photography Museum, AT-17540, at $15.60\nShall I?",
        "• OUT: Tannery Baroque Tour, AT-80527: I'd cancel it\n• IN: Elm Street Photography Museum,"
        " AT-17540\n\nShall I book it?",
        "I would replace the tour AT-80527 with the Elm Street Photography Museum (AT-17540)."
        " Shall I book that?",
        "Shall I swap the tour AT-80527 for the Elm Street Photography Museum AT-17540, and book"
        " it?",
    ],
)
def test_what_is_to_be_given_up_is_no_part_of_the_plan(text):
    slots, before = SWAPPED.slots, "I have booked the Tannery Baroque Tour, AT-80527."
    earlier = read_plans([before], SWAPPED)
    plan = read_plan(Reading(text, SWAPPED.lexicon, slots), slots, earlier)
    assert plan.items == {"AT-17540": "attraction"}
    assert contradictions(plan, SWAPPED) == []


def test_what_takes_the_place_of_something_may_be_wrong_itself():
    text = "Cancel the Elm Museum, AT-17540\n- Book the Baroque Tour, AT-80527\nShall I?"
    plan = read_plan(Reading(text, SWAPPED.lexicon, SWAPPED.slots), SWAPPED.slots)
    assert contradictions(plan, SWAPPED) == ["attraction_category"]


def test_who_is_greeted_by_its_own_name_has_not_told_who_comes_along():
    chat = Chat("terse", briefing=TOURIST)
    chat.say()
    chat.say(
        "Found you in the big book, Rafael Calloway! I have written: 2 nights in Brussels, 2 nights"
        " in Hamburg, starting on 24 October 2027. Is that right?"
    )
    assert "noor keller" in chat.say("What are the full names of the two of you?").casefold()


@pytest.mark.parametrize(("nights", "misses"), [("four", []), ("six", ["nights"])])
def test_stays_that_are_told_together_are_as_long_as_all_of_them(nights, misses):
    text = (
        "Leg one, DP-62381, on 24 October. Leg two, DP-67068, on 26 October. Leg three, DP-66969,"
        f" on 28 October. The lot, for two people and {nights} nights, comes to exactly $2,391.60."
        " Does this plan have your yes?"
    )
    reading = Reading(text, TOURIST.lexicon, TOURIST.slots)
    assert contradictions(read_plan(reading, TOURIST.slots), TOURIST) == misses


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_list_with_semicolons_is_asked_point_by_point(condition):
    said, told = told_first(
        condition, "tourist", "Noted. Ready for the rest of leg 1: class; seat; any price limit."
    )
    assert "travel_class" in told or "standard" in answered(condition, "tourist", "Which class?")
    assert "any seat" in said, said


def test_a_list_of_what_to_choose_from_tells_nothing():
    chat = Chat("neutral", briefing=TOURIST)
    chat.say()
    said = chat.say(
        "Got it. Is Zurich right as the start? Please also tell me:\n- Each leg: train or flight,"
        " class, time of day\n- Each attraction: museum, walk or concert; day or time of day\n-"
        " Budget"
    )
    assert ("second_visit_category" in {*chat.told()}) == ("concert" in said.casefold()), said
    assert "concert" in said.casefold() or "rest" in said.casefold(), said


def test_one_question_is_not_too_many():
    chat = Chat("impatient", briefing=TOURIST)
    chat.say()
    said = chat.say(
        "I take these in the order of the names; please correct me if it is the other way round."
        " Turning to the first leg, what would you like of it?"
    )
    assert not re.search(r"too many|so many|questions", said.casefold()), said


def test_a_booking_without_an_item_is_none_of_the_item_above_it():
    text = (
        "All seven are held. Please record your approval for each:\n\n"
        "Zurich to Brussels, DP-32058: booking BK-89223114, $476.40\n"
        "Brussels to Hamburg, DP-65415: booking BK-44181418, $261.60\n"
        "Hamburg to {end}, DP-76468: booking BK-43399567, $395.60\n"
        "Beacon Gate Suites, Brussels: booking BK-30948921, $213.00\n"
        "Juniper Row Lodge, Hamburg: booking BK-44683600, $156.20\n"
    )
    plans = [
        read_plan(Reading(text.format(end=end), TOURIST.lexicon, TOURIST.slots), TOURIST.slots)
        for end in ("Zurich", "Paris")
    ]
    right, wrong = (contradictions(plan, TOURIST) for plan in plans)
    assert right == []
    assert wrong != []


def test_what_a_question_rightly_names_is_said_beside_a_correction():
    chat = Chat("terse", briefing=TOURIST)
    chat.say()
    said = chat.say(
        "So that is three nights in Brussels and three in Hamburg, right?\n"
        "And do you want standard class for the legs, is that right?"
    ).casefold()
    told = {*chat.told()}
    assert ("travel_class" in told) == ("standard" in said), (told, said)
    assert "2 nights" in said


@pytest.mark.parametrize("way", ["Flight out", "Out", "OUT"])
def test_the_way_out_is_not_given_up_for_the_way_back(way):
    text = (
        f"Here is a plan:\n- {way}: FL-25806, business class, 2027-08-09 20:15\n"
        "- Flight back: FL-12497, premium economy class, 2027-08-12 12:55\nShall I book it?"
    )
    plan = read_plan(Reading(text, BUSINESS.lexicon, BUSINESS.slots), BUSINESS.slots)
    assert plan.items == {"FL-25806": "outbound", "FL-12497": "return"}
    assert contradictions(plan, BUSINESS) == ["seat_type"]
