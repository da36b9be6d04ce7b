"""What the agent has noted rightly is not said again, but which one it is to be is answered."""

import re

import pytest

from crab_graph.personas.briefing import Fact, FactLevel
from tests.personas.test_joint_wishes import briefing_with
from tests.personas.test_meanings import TOLD_ALL
from tests.personas.test_rules_user import BOOKINGS, FACTS, PLAN, Chat
from tests.travel_words import TRAVEL

FLAGS = [Fact(key, True, FactLevel.DETAIL) for key in ("same_district", "same_carrier")]
DAY = Fact("attraction_date", "2027-05-05", FactLevel.DETAIL)
DATED = [one for one in FACTS if one.key not in ("departure_date", "attraction_category")]
DATED += [Fact("departure_date", "2027-05-04", FactLevel.BASIC), DAY, *FLAGS]
BRIEFING = TRAVEL.briefing(TRAVEL.slots, DATED, "S1-001", "2027-01-10")
WINDOWED = TRAVEL.briefing(TRAVEL.slots, [*FACTS, *FLAGS], "S1-001", "2027-01-10")
CONDITIONS = ("terse", "impatient", "neutral", "generic")
ANY_ONE = re.compile(
    r"\b(?:no particular \w+|any one|(?:need not|doesn't have to) be a certain|matter|difference"
    r"|don't (?:care|mind)|no preference|easy)\b"
)
DENIES = re.compile(r"\b(?:wait|no|hold on|not quite|wrong|let me be clear)\b")


def opened(condition, briefing=BRIEFING):
    chat = Chat(condition, briefing=briefing)
    chat.say()
    return chat


def until_told(chat, key, asked):
    while key not in chat.told():
        chat.say(asked)
    return chat


def until_nothing_is_new(chat):
    told = 0
    while len({*chat.told()}) > told:
        told = len({*chat.told()})
        chat.say(TOLD_ALL)
    return chat


def told_district(condition):
    chat = opened(condition)
    return until_told(chat, "same_district", "Should hotel and attraction be in the same district?")


def told_either():
    chat = opened("terse", briefing_with("attraction_either"))
    return until_told(chat, "attraction_either", "What kind of attraction would you like?")


def noted_room_type(condition):
    chat = opened(condition)
    assert "any room type" in chat.say("Which room type would you like?").casefold()
    chat.say("Noted: any room type will do. Which seat position would you like?")
    return chat


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    (
        "Noted, out on May 4, 2027. Attraction: museum, tour or show; which day, time of day, or"
        " price?",
        "Leaving on May 4, 2027, noted. What about the attraction: what type, which day and which"
        " time of day would you like?",
    ),
)
def test_who_is_asked_for_the_day_of_one_thing_tells_not_that_of_another(condition, asked):
    chat = opened(condition)
    answer = chat.say(asked)
    assert "attraction_date" in chat.told()
    assert not re.search(r"\b(?:leav\w+|depart\w+)\b", answer, re.I), answer


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    (
        "Any particular district, or any at all? And how many stars should the hotel have?",
        "Which district do you prefer, or will any do so long as it is the attraction's? And how"
        " many stars should the hotel have?",
    ),
)
def test_a_rule_that_was_noted_does_not_answer_which_one_it_is_to_be(condition, asked):
    chat = told_district(condition)
    chat.say("Noted: hotel and attraction in the same district. Which seats would you like?")
    answer = chat.say(asked).casefold()
    assert ANY_ONE.search(answer) and "4 star" in answer
    assert "same district" not in answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_which_one_of_what_is_to_be_shared_is_no_matter_for_a_yes(condition):
    chat = told_district(condition)
    answer = chat.say(
        "Hotel and attraction in the same district, got it. Which district would you like, or is"
        " any fine as long as it's the same for both?"
    ).casefold()
    assert ANY_ONE.search(answer) and not re.search(r"\b(?:correct|right)\b", answer), answer


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "noted",
    (
        "Ok: any district is fine, only hotel and attraction must be in the same one.",
        "Noted: a museum, in any district that it shares with the hotel.",
        "I take it that any district will do, as long as both are in it together.",
    ),
)
def test_any_one_that_is_to_be_shared_is_no_wrong_note(condition, noted):
    chat = told_district(condition)
    answer = chat.say(f"{noted} How many stars should the hotel have?").casefold()
    assert "4 star" in answer
    assert not DENIES.search(answer) and "district" not in answer, answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_what_is_free_and_noted_is_not_said_again_to_a_list_that_names_it(condition):
    chat = noted_room_type(condition)
    answer = chat.say("Hotel: district, stars, room type, breakfast, price?").casefold()
    assert "room type" not in answer and chat.told()[-1] in ("hotel_stars", "same_district")


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_is_free_holds_for_both_where_that_is_asked(condition):
    chat = opened(condition)
    assert "any cabin" in chat.say("Which cabin would you like?").casefold()
    answer = chat.say("Any cabin, noted. Is the cabin for both flights, or for only one of them?")
    assert "any cabin will do on both flights" in answer.casefold()


@pytest.mark.parametrize("condition", CONDITIONS)
def test_days_of_the_way_home_are_no_days_to_leave_on(condition):
    chat = opened(condition, WINDOWED)
    answer = chat.say(
        "Let me see that I've got it right: you leave Chicago between May 3 and May 7, 2027 (both"
        " days included?), stay 3 nights, so you fly home between May 6 and May 10. Who is coming?"
    )
    assert "traveller_names" in chat.told()
    assert not DENIES.search(answer.casefold()), answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_wrong_way_home_is_still_no_right_one(condition):
    chat = opened(condition, WINDOWED)
    chat.say("So you leave between May 3 and May 7, 2027, and fly home on May 20, right?")
    assert {"departure_date", "nights"} & {*chat.told("corrected")}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_who_is_asked_what_no_fixed_budget_means_says_nothing_of_other_things(condition):
    free = [one for one in FACTS if one.key != "budget"]
    chat = opened(condition, TRAVEL.briefing(TRAVEL.slots, free, "S1-001", "2027-01-10"))
    assert "no fixed budget" in chat.say("Is there a budget for the whole trip?").casefold()
    answer = chat.say(
        "I play back what I have now:\n\n- 2 travellers, 3 nights\n- No fixed budget\n\nIs this"
        ' right?\n\n"No fixed budget": does it mean you want it cheap, or price is not important'
        " at all? Or should I stay under some amount?\n\nI still need:\n\n1. Hotel: stars?"
    )
    assert re.search(r"\b(?:right|correct|yes)\b", answer, re.I), answer
    assert "nights" not in answer and "4 star" in answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_two_things_noted_as_equally_good_ask_for_neither(condition):
    chat = opened(condition, briefing_with("attraction_either"))
    until_told(chat, "attraction_either", "What kind of attraction would you like?")
    answer = chat.say(
        "Great: A) a tour in the afternoon or B) a museum in the evening, either one's just as"
        " good. Which hotel stars would you like?"
    )
    assert "museum" not in answer.casefold(), answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_way_in_brackets_behind_a_flight_is_not_asked_for(condition):
    chat = opened(condition)
    answer = chat.say(
        "Let's take it step by step; just the flights first:\n\n- **Outbound flight (Chicago →"
        " Pittsburgh):** what matters to you? For example time of day, fare, stops, baggage.\n"
        "- **Return flight (Pittsburgh → Chicago):** the same, or anything different?"
    )
    assert "Chicago" not in answer
    assert {"outbound_time_of_day", "seat_position", "same_carrier"} & {*chat.told()}, answer


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("word", ("further", "else", "more"))
def test_who_has_nothing_more_to_say_of_a_part_says_so_and_nothing_again(condition, word):
    chat = told_district(condition)
    chat.say("How many stars should the hotel have?")
    answer = chat.say(f"A queen bed, then. Anything {word} for the hotel or room?").casefold()
    assert answer and "district" not in answer and "star" not in answer, answer


@pytest.mark.parametrize("told", ("had Leo Ruiz's date of birth down", "showed Leo's birth date"))
def test_who_owns_up_to_a_date_that_was_stored_wrongly_misnames_nobody(told):
    held = [dict(row) for row in BOOKINGS]
    chat = Chat("terse", bookings=held)
    chat.say()
    chat.say(PLAN)
    answer = chat.say(
        "All four parts are booked exactly as approved, and pending until charged:\n\n"
        "- Outbound FL-48213: BK-00000001 - $300.00\n- Return FL-20955: BK-00000002 - $280.00\n"
        "- Hotel Juniper Court Hotel (HT-3316): BK-00000003 - $360.00\n"
        "- Riverside Glass Museum (AT-50811): BK-00000004 - $70.00\n\nTotal: $1,010.00.\n\n"
        f"Two confessions, for good order: my first booking of the return (BK-00000009) {told}"
        " as 1988-11-24, so I cancelled it - nothing had been charged -"
        " and booked the same seats again with 1988-11-23. The outbound first came back"
        " unconfirmed; it is in order.\n\nWould you now kindly record an approval for each of the"
        " four bookings on the Visa ending in 4242, and tell me once that's done?"
    )
    assert len(chat.approvals()) == 4 and not DENIES.search(answer.casefold()), answer


def test_the_rule_for_the_least_sum_beside_a_budget_is_a_rule_and_no_outcome():
    chat = opened("terse", briefing_with("cheapest_outing"))
    until_told(
        chat,
        "cheapest_outing",
        "How shall I choose, if several trips fit: the cheapest, or the earliest?",
    )
    answer = chat.say(
        "So: among all plans that meet every wish, the one where outbound flight + return flight +"
        " attraction together cost least (taxes and fees included); the hotel's price needn't be"
        " the lowest so long as the whole stays within $1,630.00. Have I understood that properly?"
    )
    assert re.match(r"(?:that's )?(?:right|correct|yes)\b|of all that fits", answer, re.I), answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_which_one_is_answered_where_the_question_itself_notes_the_rule(condition):
    chat = told_district(condition)
    answer = chat.say(
        "1. Hotel and museum in the same district: which one?\n   a) any, as long as it is the same"
        "\n   b) a particular one (which?)\n2. How many stars should the hotel have?"
    ).casefold()
    assert ANY_ONE.search(answer) and "4 star" in answer and "same district" not in answer, answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_which_of_two_windows_is_told_by_no_yes(condition):
    chat = opened(condition, WINDOWED)
    answer = chat.say(
        '1. You answered "correct": which departure range do you mean?\n   a) 2027-05-03 to'
        " 2027-05-07, any day in it\n   b) 2027-05-10 to 2027-05-14, any day in it\n"
        "2. How many stars should the hotel have?"
    )
    assert not re.match(r"(?:that's )?(?:right|correct|yes)\b", answer, re.I), answer
    assert re.search(r"May|05-0[37]|\bthird\b", answer), answer


def test_lettered_notes_that_are_to_be_right_are_no_choices():
    chat = told_either()
    answer = chat.say(
        "1. Have I noted all of this correctly?\n   a) flights at any time\n   b) any room type\n"
        "   c) a tour in the afternoon or a museum in the evening, either will do\n"
        "2. Is there any wish missing from that list?\n   a) yes (what?)\n   b) no, that is"
        " everything"
    )
    assert not re.search(r"\b(?:tour|museum)\b", answer), answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_what_is_free_is_not_said_again_to_a_list_of_other_things(condition):
    chat = noted_room_type(condition)
    answer = chat.say("Any other hotel wish: amenities, room type, view, breakfast?").casefold()
    assert "room type" not in answer, answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_travellers_named_by_their_last_names_are_none_others(condition):
    named = [one for one in FACTS if one.key != "traveller_names"]
    named += [Fact("traveller_names", ["Ana Ruiz", "Leo Kim"], FactLevel.DETAIL)]
    chat = opened(condition, TRAVEL.briefing(TRAVEL.slots, named, "S1-001", "2027-01-10"))
    chat.say("Who is travelling?")
    answer = chat.say(
        "Full read-back:\n\n- Chicago to Pittsburgh, leave May 3 to 7, 2027, 3 nights. Travellers"
        " Ruiz, Kim.\n\n1. All correct?\n2. How many stars should the hotel have?"
    )
    assert not DENIES.search(answer.casefold()) and "4 star" in answer.casefold(), answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_any_time_of_day_for_both_flights_says_nothing_of_the_day(condition):
    chat = opened(condition)
    chat.say("What time of day should the return flight leave?")
    answer = chat.say(
        "Got it: any time of day works for both flights. How many stars should the hotel have?"
    )
    assert "departure should be" not in answer and "leaving on" not in answer.casefold(), answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_all_wishes_for_a_part_are_told_though_its_length_is_named(condition):
    chat = opened(condition)
    answer = chat.say(
        "Good, and there is a match:\n\n- Outbound, 2027-05-04: FL-48213, departs 07:35, $150.00"
        " per person\n\nNothing is booked yet. Now the hotel, for the 3 nights from May 4 to May 7:"
        " what would you like there? For example the district, number of stars or room type."
    )
    assert {"hotel_stars", "same_district"} & {*chat.told()}, answer


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("beyond", ("beyond", "besides", "apart from"))
def test_what_a_question_for_wishes_sets_aside_is_not_told_again(condition, beyond):
    chat = opened(condition)
    until_told(chat, "same_carrier", "Should both flights be with the same airline?")
    answer = chat.say(
        f"What are your wishes for the return flight on 2027-05-07, {beyond} the same airline (time"
        " of day, seat position, cabin, stops)?"
    )
    assert "airline" not in answer.casefold(), answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_matters_of_a_part_is_told_and_not_where_it_begins(condition):
    chat = opened(condition)
    answer = chat.say(
        "Let's take it step by step:\n\n- **Outbound flight (Chicago → Pittsburgh):** what matters"
        " to you?\n- **Return flight (Pittsburgh → Chicago):** the same, or anything different?"
    )
    assert "Chicago" not in answer
    assert {"outbound_time_of_day", "seat_position", "same_carrier"} & {*chat.told()}, answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_which_of_two_numbers_is_told_again_to_who_has_not_heard_it(condition):
    chat = opened(condition)
    answer = chat.say(
        "Please send:\n1. The number of nights: 3 or 4?\n2. The stars that the hotel should have."
    )
    assert re.search(r"\b3 nights\b", answer) and "4 star" in answer.casefold(), answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_is_still_open_is_not_noted_as_free(condition):
    chat = opened(condition)
    chat.say("Which seat position would you like?")
    answer = chat.say(
        "Noted: aisle seats. Is aisle for both flights, outbound and return?\n\nStill open: hotel"
        " area, stars and room type; the attraction; and any airline preference on the outbound."
    )
    assert not DENIES.search(answer.casefold()), answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_a_menu_of_hours_that_nobody_has_chosen_from_is_no_wrong_note(condition):
    chat = opened(condition)
    answer = chat.say(
        "Next, please tell me about:\n\n- **Outbound flight** on May 4: time of day (night"
        " 17:00-23:59, midday 12:00-16:59, morning 06:00-11:59), or anything else\n- **Budget**"
    )
    assert "outbound_time_of_day" in chat.told() and not DENIES.search(answer.casefold()), answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_what_an_item_sets_aside_is_not_told_again(condition):
    chat = opened(condition)
    chat.say("How many stars should the hotel have?")
    answer = chat.say(
        "Thanks! A few things that are still open:\n\n- **Hotel**: area or price per night, besides"
        " the 4 stars or more\n- **Flights**: any airline you want or don't want"
    )
    assert "star" not in answer.casefold(), answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_what_the_same_message_notes_as_free_is_not_said_again(condition):
    chat = opened(condition)
    chat.say("Which room type would you like?")
    answer = chat.say(
        "Thank you, I've noted that these are open:\n\n- any cabin\n- any room type\n\nStill"
        " needed:\n- **Hotel:** any wishes on district, room, amenities or price?"
    )
    assert "room type" not in answer.casefold(), answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_which_day_ends_a_window_is_told_beside_what_is_new(condition):
    chat = opened(condition, WINDOWED)
    answer = chat.say(
        "Next, the hotel: how many stars? And is 2027-05-07 the latest departure day for the"
        " outbound?"
    )
    assert "4 star" in answer.casefold() and re.search(r"May|05-0[37]|days later", answer), answer
