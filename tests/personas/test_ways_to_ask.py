"""The same things asked in other words: whether all is told, what is a must, which day, what stays.

Each case is one of many ways in which models that played agents asked at one place of a talk.
"""

from dataclasses import replace

import pytest

from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.error_reactions import ErrorRecord, look_over
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.play_backs import read_play_back
from crab_graph.personas.stated_plans import read_plan
from crab_graph.personas.understanding import reading_of
from tests.personas.test_joint_wishes import briefing_with
from tests.personas.test_rules_user import BASIC, BOOKINGS, DETAILS, PLAN, Chat
from tests.travel_words import TRAVEL

SHORT = ("terse", "impatient")
WHO = "What are your customer id, the names and the dates of birth?"


def opened(condition="terse", seed=0, **given):
    chat = Chat(condition, seed, **given)
    chat.say()
    return chat


def briefing_of(**other):
    known = {**BASIC, **DETAILS, **other}
    facts = [
        Fact(key, value, FactLevel.BASIC if key in BASIC else FactLevel.DETAIL)
        for key, value in known.items()
        if value is not None
    ]
    return TRAVEL.briefing(TRAVEL.slots, facts, "S1-001", "2027-01-10")


def played(text, briefing):
    return read_play_back(reading_of(text, briefing.lexicon, briefing.slots), briefing)


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "Next wish?",
        "Is that all, or is there more to come? If it's all, I'll start looking.",
        "That's the whole list, then?",
        "Have I got the full picture?",
        "Is that your only preference?",
        "Did I miss or misread anything? If not, I'll search.",
        "What more would you like to add?",
        "Is this complete and correct?",
        "Is anything new to be added?",
        "Tell me everything that's still missing, please, in one go.",
        'You said "rest in a sec" - what is the rest?',
        "Is this now the final requirement, or is there anything further?",
        "What was the rest you mentioned?",
        'What did you want to add "in a sec"?',
        "You said there is more: what is still to come?",
        "Could you fill in the two open rows?",
        "Shall I search now, or do you want to add something first?",
        "What next?",
        "Anything beyond that?",
        "Is there anything you haven't mentioned yet?",
        "Which is still missing: something about the flights, or something about the hotel?",
    ],
)
def test_who_is_asked_if_all_is_told_tells_what_is_not(condition, asked):
    chat = opened(condition)
    chat.say("Which seat position would you like?")
    before = {*chat.told()}
    chat.say(asked)
    assert {*chat.told()} - before, chat.messages[-1]["content"]


@pytest.mark.parametrize("condition", SHORT)
def test_a_recap_that_lacks_wishes_is_not_called_complete_without_one(condition):
    chat = opened(condition)
    chat.say("Which seat position would you like?")
    before = {*chat.told()}
    chat.say(
        "My notes:\n- Chicago to Pittsburgh\n- 3 nights, 2 people\n- aisle seats\n\n"
        "Is that complete and correct?"
    )
    assert {*chat.told()} - before


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize("asked", ["What should it offer there?", "What would you like there?"])
def test_what_is_asked_there_is_of_what_was_named_right_before(condition, asked):
    chat = opened(condition)
    chat.say(f"Understood. Now the hotel. {asked}")
    assert "hotel_stars" in chat.told()


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    ["Your dates of birth, please?", "And your dates of birth?", "What are your dates of birth?"],
)
def test_dates_of_birth_are_no_dates_of_a_trip(condition, asked):
    briefing = briefing_of()
    reading = reading_of(asked, briefing.lexicon, briefing.slots)
    assert "departure_date" not in reading.asked
    chat = opened(condition)
    assert "birth_dates" not in chat.told()
    chat.say(asked)
    assert chat.told()[-1] == "birth_dates"


@pytest.mark.parametrize("wanted, is_right", [("2027-05-03", True), ("2027-05-10", False)])
@pytest.mark.parametrize(
    "asked",
    [
        "Is the departure window of 3 May to 7 May right, or could it change?",
        "Two open points: your travel window (3 May-7 May) and the stars. Are you sure about them?",
        "Are you sure about the dates, 3 May to 7 May?",
    ],
)
def test_what_is_doubted_in_a_question_is_played_back(asked, wanted, is_right):
    last = f"2027-05-{int(wanted[-2:]) + 4:02}"
    found = played(asked, briefing_of(departure_date=[wanted, last]))
    assert found.is_asked
    assert "departure_date" in (found.right if is_right else found.wrong)


@pytest.mark.parametrize(
    "text, key",
    [
        ("Number of nights: is it definitely 5?", "nights"),
        ("OK: $1,300 at most for flights, hotel and attraction together. Correct?", "budget"),
        ("So the hotel has 4 stars exactly. Right?", "hotel_stars"),
        ("I noted a hotel of no more than 4 stars. Right?", "hotel_stars"),
    ],
)
def test_what_is_otherwise_than_wished_is_not_affirmed(text, key):
    found = played(text, briefing_of())
    assert key in {*found.wrong, *found.mixed}


@pytest.mark.parametrize(
    "text, key",
    [
        ("You said any seat position is welcome. Right?", "seat_type"),
        ("The correct window is May 3 to May 7, 2027. Right?", "seat_position"),
        ("All is paid: $1,010.00 was charged in total. Is everything as you wished?", "budget"),
    ],
)
def test_what_says_nothing_of_a_wish_is_not_denied_for_it(text, key):
    briefing = briefing_of(
        seat_type="economy", seat_position=None if key == "seat_type" else "aisle"
    )
    assert key not in played(text, briefing).wrong


def test_neither_of_two_that_a_recap_excludes_is_taken_for_the_wish():
    assert (
        "bed_type"
        not in played("Noted: no queen/king bed. Right?", briefing_of(bed_type="twin")).wrong
    )


def test_any_airline_is_right_where_both_flights_are_with_it():
    briefing = briefing_of(same_carrier=True)
    found = played("Is it all right if that's any airline, as long as both flights are?", briefing)
    assert "same_carrier" not in found.wrong


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "Is the same airline a must, or would you take two if that were cheaper?",
        "Must both flights share an airline, or is that a nice-to-have I could drop?",
    ],
)
def test_a_condition_that_may_be_a_must_is_one(condition, asked):
    chat = opened(condition, briefing=briefing_of(same_carrier=True))
    chat.say("Do both flights have to be with the same airline?")
    assert "must" in chat.say(asked).casefold()


@pytest.mark.parametrize("condition", SHORT)
def test_a_limit_beyond_which_one_might_go_is_a_must(condition):
    chat = opened(condition)
    chat.say("What is your budget, to the cent?")
    answer = chat.say("Is the $1,500.00 a hard limit, or could I go slightly over?")
    assert "must" in answer.casefold()


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "Is any day between May 3 and May 7 fine, or is there one of those days you'd prefer?",
        "Does the departure day matter to you within May 3 to May 7?",
        "Is there a day within that window you'd rather leave on, or is any of the five fine?",
    ],
)
def test_any_day_of_a_window_will_do(condition, asked):
    chat = opened(condition)
    assert "any" in chat.say(asked).casefold()
    assert {*chat.told()} <= {*BASIC}


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "Will all four bookings go on that one card?",
        "Do you want to pay everything with the Visa ending in 4242, or use different cards?",
        "Is that the card for all four bookings?",
    ],
)
def test_one_card_pays_for_all(condition, asked):
    chat = opened(condition)
    chat.say("Which card do you want to pay with?")
    answer = chat.say(asked).casefold()
    assert "one card" in answer and "4242" in answer


@pytest.mark.parametrize("condition", (*SHORT, "neutral"))
@pytest.mark.parametrize(
    "asked",
    [
        "Checked baggage: yes or no? Refundable ticket: yes or no? Breakfast: yes or no?",
        "For my notes, is breakfast required, yes or no?",
    ],
)
def test_what_is_sold_beside_gets_no_yes(condition, asked):
    chat = opened(condition)
    answer = chat.say(f"Noted: 3 nights. {asked}").casefold()
    assert "correct" not in answer and "right" not in answer.replace("all right", "")


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "One thing stands in the way: two aisle seats on one airline. Which would you rather "
        "have?\n\nA) Two airlines, aisle seats both ways\nB) One airline, a window seat once",
        "Only one catch: there are no aisle seats. Which would you rather do?\n"
        "(a) take window seats\n(b) let me search further",
    ],
)
def test_of_ways_out_none_is_taken(condition, asked):
    answer = opened(condition).say(asked).casefold()
    assert "again" in answer or "what i asked for" in answer or "what i said" in answer


@pytest.mark.parametrize("condition", (*SHORT, "neutral"))
def test_leave_to_drop_a_wish_gets_no_yes(condition):
    chat = opened(condition, briefing=briefing_of(same_carrier=True))
    chat.say("Do both flights have to be with the same airline?")
    assert not chat.say("May I drop the same airline?").casefold().startswith("yes")


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "If several trips fit, should I take the cheapest, or is any of them fine?",
        "Should I look for the cheapest plan?",
        "If several combinations fit, is there something to decide by?",
    ],
)
@pytest.mark.parametrize("key", ["cheapest_outing", "cheapest_flights"])
def test_who_wants_what_costs_least_says_so_where_that_decides(condition, asked, key):
    chat = opened(condition, briefing=briefing_with(key))
    chat.say(asked)
    assert key in chat.told()


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked, key",
    [
        ("Evening it is. And do you have a budget?", "apart_from_nights"),
        (
            "What about the hotel: a district, stars, or a maximum price per night?",
            "apart_from_nights",
        ),
        ("Next one: what kind of hotel?", "apart_from_nights"),
        ("Nothing fits all. Would you give up one of them?", "attraction_either"),
        (
            "So to sum up, Ana:\n1. the attraction, either way\n2. any hotel\n\nShall I search?",
            "attraction_either",
        ),
    ],
)
def test_a_joint_wish_is_not_said_again_to_who_does_not_ask_for_it(condition, asked, key):
    chat = opened(condition, briefing=briefing_with(key))
    first = {"apart_from_nights": "What time of day should the flights leave?"}
    chat.say(first.get(key, "Would you like a museum, a tour or a show?"))
    said = chat.told().count(key)
    assert said
    chat.say(asked)
    assert chat.told().count(key) == said


def test_a_plan_that_admits_what_is_wrong_with_it_is_not_overlooked():
    briefing = briefing_of(same_carrier=True)
    words = "Shall I book this plan, although the two flights are with different airlines?"
    reading = reading_of(words, briefing.lexicon, briefing.slots)
    blind = replace(Chat("d4").user.behavior, overlooks=1.0)

    def draw(_):
        raise AssertionError("nothing is drawn of what is said aloud")

    sight = look_over(["same_carrier"], reading, blind, ErrorRecord(()), {"same_carrier"}, draw)
    assert sight.seen == ("same_carrier",)


def test_a_plan_of_another_length_now_is_not_held_against_what_was_said_before():
    briefing = briefing_of(departure_date="2027-05-03", nights=4)
    before = "Hotel: Juniper Court (HT-3316), 3 nights, 3 to 6 May 2027, $120.00 per night."
    now = (
        "- Outbound: FL-48213, 3 May 2027, 07:35, $150.00 each.\n"
        "- Return: FL-20955, 7 May 2027, 19:40, $140.00 each.\n"
        "- Hotel: Juniper Court (HT-3316), $120.00 per night.\n\nTotal: $1,010.00. Shall I book?"
    )
    first, last = (reading_of(one, briefing.lexicon, briefing.slots) for one in (before, now))
    plan = read_plan(last, briefing.slots, [read_plan(first, briefing.slots)])
    assert "nights" not in contradictions(plan, briefing)


@pytest.mark.parametrize("condition", SHORT)
def test_a_sum_told_about_and_played_back_is_made_exact_without_a_word_of_anger(condition):
    chat = opened(condition, briefing=briefing_of(budget="1380.00"))
    chat.state["disclosed"] = [
        *chat.state["disclosed"],
        {"key": "budget", "turn": 1, "reason": "asked", "how": "vague", "said": "around $1,400"},
    ]
    answer = chat.say("First: is the budget a) at most $1,400 in total, b) another firm limit?")
    assert "$1,380" in answer or "$1.38k" in answer
    assert not answer.casefold().startswith(("wait", "hold", "stop", "listen", "no"))


@pytest.mark.parametrize("seed", range(8))
def test_one_open_question_is_not_called_too_many(seed):
    chat = opened("impatient", seed)
    answer = chat.say(
        "What are your wishes for the outbound flight (for example day, time of day, fare, stops, "
        "baggage, or anything else that matters)?"
    )
    assert "questions" not in answer.casefold()


@pytest.mark.parametrize("condition", SHORT)
def test_what_is_set_apart_in_a_question_gets_no_second_word(condition):
    chat = opened(condition, briefing=briefing_of(hotel_stars=None))
    first = chat.say("How many stars should the hotel have?").casefold()
    again = chat.say("Hotel: apart from stars, do you have wishes as to room or bed?").casefold()
    assert "star" in first and "star" not in again


def test_of_two_options_the_cheaper_is_told_by_its_own_price():
    chat = opened("generic")
    answer = chat.say(
        "**Option A:** Glass Museum (AT-50415), 5 May, 09:40, $12.40 per ticket\n"
        "**Option B:** Toy Museum (AT-50110), 5 May, 09:20, $94.40 per ticket\n\n"
        "Option A keeps you at $1,013.00 in total; with B it'd be $1,177.00. Which one?"
    )
    assert "AT-50110" not in answer


def test_a_total_that_stands_before_its_parts_is_the_total():
    chat = opened("generic", bookings=BOOKINGS)
    answer = chat.say(
        "So I'll charge $1,010.00 in total to PM-22222222, in four charges: $300.00 (BK-00000001), "
        "$280.00 (BK-00000002), $360.00 (BK-00000003), $70.00 (BK-00000004). "
        "Could you approve each of them?"
    )
    assert len(chat.approvals()) == len(BOOKINGS), answer


def test_of_two_flights_the_one_is_missed_that_is_not_booked():
    chat = opened("generic", bookings=BOOKINGS[1:])
    chat.say(PLAN)
    answer = chat.say("Your trip is booked: BK-00000002, BK-00000003 and BK-00000004. All done!")
    assert "outbound" in answer and "return" not in answer
