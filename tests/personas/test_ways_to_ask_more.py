"""More of the ways in which models asked: what is asked again, what a list lacks, what is too dear.

Each case is one of many ways in which models that played agents asked at one place of a talk.
"""

import re

import pytest

from crab_graph.personas.briefing import DisclosureRecord, How, Reason, Saying
from crab_graph.personas.doubted_days import of_doubted_days
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.rewordings import reworded
from crab_graph.personas.stated_plans import read_plan, read_plans
from crab_graph.personas.understanding import reading_of
from tests.personas.test_rules_user import BOOKINGS, PLAN
from tests.personas.test_ways_to_ask import SHORT, briefing_of, opened, played

TOTAL = "Trip total: $1,010.00. Shall I book all four?"


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "- aisle seats\nThe budget?\nThe attraction?\nThe room?",
        "The attraction: any particular time?\nAnd your budget?",
        "Two questions left: what is your budget, and which bed?",
        "Ok, a museum. budget? any other wishes?",
        "Any budget limit? Any flight time on the way back?",
    ],
)
def test_the_budget_is_told_again_to_who_asks_by_its_name(condition, asked):
    chat = opened(condition)
    chat.say("What may the whole trip cost? And what should the attraction be?")
    chat.say("What may the whole trip cost?")
    assert "budget" in chat.told()
    answer = chat.say(asked)
    assert "1,500" in answer or "1.5k" in answer
    assert "price limit" not in answer


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked", ["Thanks. Seat position matter?", "Going on: which seat position was it?"]
)
def test_what_is_asked_by_its_name_alone_is_told_again(condition, asked):
    chat = opened(condition)
    chat.say("Which seat position would you like?")
    assert "aisle" in chat.say(f"{asked} And the hotel's stars?").casefold()


@pytest.mark.parametrize("condition", SHORT)
def test_what_was_just_noted_is_not_what_is_asked_behind_it(condition):
    chat = opened(condition, briefing=briefing_of(cheapest_outing=True))
    chat.say("How shall I choose, if several trips fit?")
    chat.say("How shall I choose, if several trips fit: the cheapest, or the earliest?")
    before = {*chat.told()}
    chat.say("Ok, cheapest sum of both flights + attraction for 2. What else?")
    assert "cheapest_outing" in before and {*chat.told()} - before


@pytest.mark.parametrize("condition", SHORT)
def test_what_is_asked_by_its_name_comes_before_what_waits(condition):
    chat = opened(condition, briefing=briefing_of(same_district=True, bed_type="king"))
    chat.say("What is your hotel to be: stars, bed, area? And your flights?")
    waiting = [key for key in ("hotel_stars", "bed_type") if key not in chat.told()]
    chat.say("Must the hotel and the museum be in the same district, or is it all the same to you?")
    assert "same_district" in chat.told(), waiting


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("How many stars?", "One question: is the 4-star minimum a must, or would 3 do?"),
        ("Which seats?", "Is an aisle seat a must, or only a preference?"),
        ("Which attraction?", "Does it have to be that kind, or would something else be fine?"),
    ],
)
def test_a_value_that_was_told_is_a_must(condition, told, asked):
    chat = opened(condition)
    chat.say(told)
    assert "a must" in chat.say(asked).casefold()


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "Is there a total budget for everything, and is it a hard limit or a rough figure?",
        "Is business a must, or is any cabin fine?",
        "Are window seats a must?",
        "Which district should the hotel be in, or is any area fine, and do you have a limit per "
        "night in mind or a wish such as the lowest price?",
    ],
)
def test_what_nobody_told_is_no_must(condition, asked):
    chat = opened(condition, briefing=briefing_of(budget=None))
    chat.say("Which seat position would you like?")
    assert "must" not in chat.say(asked).casefold()


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "Is that for both flights, and is there anything else about the flights?",
        "Should I apply that to both flights, the outbound and the return?",
        "And does it go for both the outbound and the return flight?",
    ],
)
def test_what_was_told_of_both_is_said_to_be_for_both(condition, asked):
    chat = opened(condition)
    chat.say("Which seat position would you like?")
    assert "aisle" in chat.say(asked).casefold()


@pytest.mark.parametrize("condition", SHORT)
def test_what_holds_of_the_other_slot_too_gets_a_yes(condition):
    chat = opened(condition)
    chat.say("Which seat position would you like?")
    answer = chat.say("Does the same hold of the return flight?").casefold()
    assert any(word in answer for word in ("right", "correct", "yes"))


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    ("asked", "key"),
    [
        (
            "Which of these comes closest for the outbound flight?\n(a) morning, 06:00-11:59\n"
            "(b) midday, 12:00-16:59\n(c) night, 17:00-23:59\n(d) doesn't matter",
            "outbound_time_of_day",
        ),
        (
            "Three quick ones:\n1. Seat position: a) window b) aisle c) middle d) any",
            "seat_position",
        ),
        ("Two things about the attraction:\n- Which kind?\n- Which day?", "attraction_category"),
    ],
)
def test_lettered_answers_are_a_question(condition, asked, key):
    chat = opened(condition)
    chat.say(asked)
    assert key in chat.told(), chat.messages[-1]["content"]


RECAP = "Here's the whole wish list as I have it:\n- Chicago to Pittsburgh, 3 nights, 2 people\n"


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize("asked", ["Shout if any of that is off!", "Is that list complete?"])
def test_a_list_that_is_noted_wrongly_is_put_right(condition, asked):
    chat = opened(condition)
    chat.say("How many stars should the hotel have, and which seats?")
    chat.say("Which seat position, please?")
    answer = chat.say(f"{RECAP}- window seats\n- hotel: three stars or more\n{asked}").casefold()
    assert "aisle" in answer


def test_a_list_of_wishes_is_a_recap_whatever_stands_behind_it():
    text = (
        "- **Seats:** window, both flights\n- **Hotel:** at least 4 stars\n"
        "- **Attraction:** a museum\n\nDoes the district of the hotel matter?"
    )
    assert played(text, briefing_of()).wrong == ("seat_position",)
    menu = "Which attraction?\n- a museum\n- a tour\n- a show"
    assert not played(menu, briefing_of()).states


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize("asked", ["Is this it?", "Correct? Anything missing?"])
def test_a_list_that_is_to_be_complete_lacks_what_was_told(condition, asked):
    chat = opened(condition)
    chat.say("Which seat position would you like?")
    chat.say("How many stars should the hotel have?")
    answer = chat.say(f"{RECAP}- leaving 3 to 7 May 2027\n- hotel: 4 stars or more\n\n{asked}")
    assert "aisle" in answer.casefold(), answer


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "text",
    [
        "With the Juniper Court Hotel (HT-3316, $760.00 for 3 nights) and the Glass Museum "
        "(AT-50811, $70.00) the total would be $1,502.40, which is $2.40 over your budget. Would "
        "that be acceptable, or shall I look further?",
        "The one outbound flight I have so far is $619.20 (FL-48213), which would bring the whole "
        "trip to $1,500.40. Shall I take it in spite of the $0.40?",
        "With FL-48213 ($519.20), FL-20955 ($371.60), HT-3316 ($556.50) and AT-50811 ($53.10) "
        "you'd be at $1,500.40. Shall I go on looking, or is that close enough?",
    ],
)
def test_what_goes_over_the_budget_gets_no_yes(condition, text):
    chat = opened(condition)
    chat.say("What may the whole trip cost?")
    chat.say("What may the whole trip cost?")
    answer = chat.say(text).casefold()
    assert not any(yes in answer for yes in ("go ahead", "book it", "yes")), answer


def test_what_another_choice_would_cost_is_no_total():
    briefing = briefing_of()
    text = f"{PLAN}\nThe alternative would have been $1,700.00, over your budget."
    reading = reading_of(text, briefing.lexicon, briefing.slots)
    assert "budget" not in contradictions(read_plan(reading, briefing.slots), briefing)


def test_of_a_night_and_a_stay_the_cheaper_is_that_by_the_night():
    answer = opened("generic").say(
        "Ellery House (HT-2148) has 4 stars at $159.30 per night, so $477.90 for 3 nights. "
        "Would you like that one, or rather the Whitfield (HT-3751), 4 stars, at $202.80 per night?"
    )
    assert "HT-3751" not in answer


@pytest.mark.parametrize("condition", SHORT)
def test_no_wish_is_given_up_for_an_offer(condition):
    answer = opened(condition, briefing=briefing_of(same_district=True)).say(
        "The room in HT-1044 was taken. Do you want me to stay with Union Square, or would you "
        "consider giving up the same district for a cheaper hotel, for instance the Beacon House "
        "(HT-3532), $95.40 per night?"
    )
    assert "HT-3532" not in answer


@pytest.mark.parametrize("condition", SHORT)
def test_of_two_kinds_that_are_offered_the_wished_one_is_named(condition):
    chat = opened(condition, briefing=briefing_of(room_type="standard"))
    answer = chat.say(
        "The standard room there is $345.00 for the stay now. Alternatively a deluxe room costs "
        "$333.00, but it isn't a standard room. Which do you prefer?"
    )
    assert "standard" in answer.casefold()


@pytest.mark.parametrize("condition", SHORT)
def test_a_price_that_is_no_limits_is_not_too_dear(condition):
    chat = opened(condition)
    answer = chat.say(
        "The hotel now costs $130.00 a night rather than $120.00. Would that be too dear for you?"
    )
    assert "asked for" not in answer and "budget" not in answer.casefold()


@pytest.mark.parametrize(
    "text",
    [
        "I found a trip! It only works with departure on Tuesday 4 May and return on Friday 7 May. "
        "Are those two dates OK with you before I give you the details?",
        "Leaving 4 May would mean returning 7 May. Is that how you see it?",
        "Would it be all right for you if the attraction is a museum?",
    ],
)
def test_what_fits_is_right(text):
    read = played(text, briefing_of())
    assert read.is_asked and read.right and not read.wrong


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("So at most 4 stars, correct?", "hotel_stars"),
        ("A budget of $1,500.00 per person, got it. And your names?", "budget"),
        ("Queen bed noted. Hotel: two single beds. Is that correct?", "bed_type"),
        ("Got it, night out, aisle seats. What about the return?", "outbound_time_of_day"),
    ],
)
def test_what_is_bound_otherwise_is_not_right(text, key):
    read = played(text, briefing_of(bed_type="queen"))
    assert key not in read.right and key in (*read.wrong, *read.mixed)


def test_any_but_two_of_three_is_the_third():
    chat = opened("generic", briefing=briefing_of(bed_type="king"))
    answer = chat.say("My notes: hotel, any bed but twin or queen. Correct?").casefold()
    assert "right" in answer or "correct" in answer or "yes" in answer


def test_what_is_on_some_days_is_no_rule():
    briefing = briefing_of(apart_from_nights=True)
    text = (
        "The cheapest combination has a night flight out on 4 May (19:10) and the museum two days "
        "later, on 6 May. Is that all right with you?"
    )
    assert "apart_from_nights" not in played(text, briefing).wrong


@pytest.mark.parametrize(
    "text",
    [
        "So that I can narrow it down: do you want the same airline, or a maximum fare?",
        "Noted: a museum. Any particular museum?",
        "Noted: same airline both ways. Does it matter which one, and is a stop okay?",
        "Your flights: is there a maximum for the whole trip?\n- Names of all two travellers",
    ],
)
def test_what_asks_for_more_is_no_check(text):
    assert not played(text, briefing_of(same_carrier=True)).is_asked


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "And hotel amenities: any you need?",
        "Should the flights be nonstop, or would you take a stop to save money?",
    ],
)
def test_what_is_sold_beside_is_not_needed(condition, asked):
    chat = opened(condition)
    before = {*chat.told()}
    answer = chat.say(asked).casefold()
    assert "need" in answer or "without" in answer or "no extra" in answer, answer
    assert {*chat.told()} == before


def test_a_doubted_day_by_itself_is_of_what_it_was_doubted_of():
    briefing = briefing_of(departure_date="2027-05-03", nights=5, attraction_date="2027-05-06")
    saying = Saying(How.WRONG, "on 5 May 2027", "", "not sure")
    record = DisclosureRecord().with_told("departure_date", 1, Reason.VOLUNTEERED)
    record = record.with_told("attraction_date", 3, Reason.ASKED, saying=saying)
    read = played("Got it, May 5 then. Anything else?", briefing)
    assert of_doubted_days(read, record, briefing).wrong == ("attraction_date",)


@pytest.mark.parametrize("condition", SHORT)
def test_a_wish_is_not_told_again_when_all_is_booked(condition):
    chat = opened(condition, bookings=BOOKINGS)
    chat.say("What should the attraction be, and how many stars the hotel?")
    chat.say(PLAN)
    answer = chat.say(
        "Your four bookings are in place. Please register the Visa ending in 4242 as a payment "
        "method, and tell me when it is done."
    )
    assert "For the attraction" not in answer and "Attraction:" not in answer


@pytest.mark.parametrize("condition", SHORT)
def test_who_told_of_a_part_says_not_that_it_does_not_matter(condition):
    chat = opened(condition)
    chat.say("How many stars should the hotel have?")
    chat.say("Any other hotel wish?")
    answer = chat.say("And hotel wishes?").casefold()
    assert not any(word in answer for word in ("matter", "mind", "whatever", "care")), answer


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize("seed", range(4))
def test_who_may_change_the_plan_says_which_of_both(condition, seed):
    chat = opened(condition, seed)
    plan = PLAN.replace("Shall I book all four?", "")
    answer = chat.say(f"{plan} Do you approve it as it is, or would you rather change something?")
    assert answer.strip(" .!").casefold() != "yes"
    assert "book it" in answer.casefold() or "as it is" in answer.casefold(), answer


@pytest.mark.parametrize("condition", SHORT)
def test_a_line_of_answers_to_a_plan_asks_for_a_yes(condition):
    plan = PLAN.replace("Shall I book all four?", "")
    answer = opened(condition).say(f"{plan}\n\na) yes, all right: book it, b) change something")
    assert "book it" in answer.casefold() or "go ahead" in answer.casefold(), answer


@pytest.mark.parametrize("seed", range(4))
def test_what_waits_beside_a_card_that_is_added_is_put_off_in_words(seed):
    chat = opened("terse", seed)
    answer = chat.say(
        "Please add the Visa ending in 4242. Names and birth dates? Flight wishes? Budget?"
    )
    assert any(word in answer.casefold() for word in ("rest", "once", "time", "coming")), answer


@pytest.mark.parametrize("condition", SHORT)
def test_a_price_limit_of_a_part_pins_no_budget(condition):
    chat = opened(condition)
    chat.say("What may the whole trip cost?")
    chat.say("What may the whole trip cost?")
    answer = chat.say(
        "Noted: at most $1,500.00 in total.\nStill open:\n1. Names\n2. Hotel: your wishes?\n"
        "3. Attraction: district, price limit or other wishes?"
    )
    assert "1,500" not in answer and "1.5k" not in answer


@pytest.mark.parametrize("condition", SHORT)
def test_a_yes_among_lettered_answers_to_a_plan_is_asked_for(condition):
    chat = opened(condition)
    for _ in range(8):
        chat.say("Is there anything else?")
    plan = PLAN.replace("Shall I book all four?", "")
    answer = chat.say(
        f"{plan}\nYour Visa ending in 4242 isn't on the platform yet - please add it.\n"
        "a) All right, book it  b) Change something  c) Other wishes?"
    )
    assert "book" in answer.casefold() or "go ahead" in answer.casefold(), answer


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Is any district fine, as long as the hotel and the museum share it?", "same_district"),
        ("Is any airline fine, as long as it is the same one both ways?", "same_carrier"),
    ],
)
def test_any_will_do_as_long_as_it_is_the_same(text, key):
    read = played(text, briefing_of(same_district=True, same_carrier=True))
    assert read.is_asked and key in read.right


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "Ok, noted. seats?",
        "Are the window seats a) for both flights b) only one of them?",
    ],
)
def test_seats_that_were_told_are_told_again(condition, asked):
    chat = opened(condition, briefing=briefing_of(seat_position="window"))
    chat.say("Which seat position would you like?")
    chat.say("Which seat position, and is that for sure?")
    assert "window" in chat.say(asked).casefold()


@pytest.mark.parametrize("seed", range(4))
def test_one_question_with_examples_is_not_called_too_many(seed):
    chat = opened("impatient", seed)
    answer = chat.say(
        "Thank you. What are your wishes for the outbound flight (for example time of day, "
        "airline, stops, cabin, baggage)?"
    )
    assert "questions" not in answer.casefold()


def test_hours_of_flights_are_free_beside_the_rule_on_nights():
    text = (
        "I have noted: flights at any time; if one of them leaves at night (17:00 to 23:59), the "
        "museum is neither on that day nor on the day before or after it. Correct?"
    )
    read = played(text, briefing_of(apart_from_nights=True, outbound_time_of_day=None))
    assert "apart_from_nights" not in read.wrong


@pytest.mark.parametrize("condition", SHORT)
def test_who_is_to_say_so_if_it_agrees_says_yes(condition):
    chat = opened(condition, bookings=BOOKINGS[:1])
    chat.say(PLAN)
    answer = chat.say(
        "The outbound flight is booked as BK-00000001. In the booking BK-00000002 there is a slip "
        "on our side: a date of birth stands there as 2014-04-02 instead of 1990-04-02. I will "
        "cancel it and book the same flight again. If you agree, please just say so."
    )
    assert any(word in answer.casefold() for word in ("yes", "go ahead", "book it", "book that"))


@pytest.mark.parametrize("lead", ["Travellers", "Guests:", "Passenger", "Both travellers are"])
def test_the_word_before_a_name_is_none_of_it(lead):
    said = f"{PLAN} {lead} Ana Kim 1988-01-02, Bo Li 1990-03-04. Approve all?"
    briefing = briefing_of(traveller_names=["Ana Kim", "Bo Li"])
    plan = read_plan(reading_of(said, briefing.lexicon, briefing.slots), briefing.slots)
    assert plan.candidates and not contradictions(plan, briefing)
    other = said.replace("Bo Li", "Cy Doe")
    plan = read_plan(reading_of(other, briefing.lexicon, briefing.slots), briefing.slots)
    assert contradictions(plan, briefing) == ["traveller_names"]


@pytest.mark.parametrize("but", ["but", "except", "except for", "other than"])
def test_a_recap_of_what_is_not_wished_denies_no_plan(but):
    briefing = briefing_of(bed_type="queen")
    wishes = f"- Hotel: any room type; any bed type {but} twin or king.\n"
    said = f"My understanding of your wishes:\n{wishes}{PLAN} Do you approve this plan?"
    reading = reading_of(reworded(said), briefing.lexicon, briefing.slots)
    plan = read_plan(reading, briefing.slots)
    assert plan.candidates and "bed_type" not in contradictions(plan, briefing)


@pytest.mark.parametrize("condition", [*SHORT, "generic"])
@pytest.mark.parametrize("people", ["for all of you ", "for both of you ", ""])
def test_what_is_affirmed_by_its_name_is_said_once(condition, people):
    chat = opened(condition)
    chat.say("Which seats?")
    answer = chat.say(
        f"Aisle seats it is.\n\nIs that {people}on both flights, out and back? "
        "And do the flights have any other wish attached, or shall we move on to the hotel?"
    )
    assert answer.casefold().count("aisle") == 1


def test_what_is_asked_by_its_name_comes_before_a_doubt_that_is_noted():
    chat = opened("terse")
    rows = [row for row in chat.state["disclosed"] if row["key"] != "nights"]
    vague = {"key": "nights", "turn": 0, "reason": "volunteered", "how": "vague", "said": "2 or 3"}
    chat.state["disclosed"] = [*rows, vague]
    answer = chat.say(
        "Gladly. I have: Chicago to Denver and back, 2 or 3 nights (not yet certain).\n\n"
        "First, what is your customer id, or the email address of your account?"
    )
    assert "CU-20417" in answer


DATED = """- Outbound: FL-48213, 2027-05-04 07:35, aisle, $300.00.
- Return: FL-20955, 2027-05-07 19:40, aisle, $280.00.
- Hotel: Juniper Court Hotel (HT-3316), 4 stars, queen bed, 2027-05-04 to 2027-05-07, $360.00.
- Attraction: Riverside Glass Museum (AT-50811), 2027-05-05 09:00, $70.00.
{beside}
Trip total: $1,010.00{total}. Shall I book all four?"""


@pytest.mark.parametrize(
    ("beside", "total"),
    [
        ("The museum stands clear of 6, 7 and 8 May 2027.", ""),
        ("The return is a night flight, so no attraction on May 6, 7 or 8, 2027.", ""),
        ("The museum keeps clear of 2027-05-06 to 2027-05-08.", ""),
        ("", ", up from $900.00 with a twin bed"),
        ("", " (with a king bed it was $1,310.00)"),
    ],
)
def test_what_is_said_beside_a_plan_is_no_fault_of_it(beside, total):
    briefing = briefing_of(bed_type="queen")
    reading = reading_of(DATED.format(beside=beside, total=total), briefing.lexicon, briefing.slots)
    assert contradictions(read_plan(reading, briefing.slots), briefing) == []


def test_a_stay_of_another_length_is_a_fault_of_a_plan():
    briefing = briefing_of(bed_type="queen")
    plan = DATED.format(beside="", total="").replace("to 2027-05-07", "to 2027-05-06")
    reading = reading_of(plan, briefing.lexicon, briefing.slots)
    assert contradictions(read_plan(reading, briefing.slots), briefing) == ["nights"]


@pytest.mark.parametrize("now", ["3 nights", "2027-05-04 to 2027-05-07"])
def test_what_was_said_of_an_item_last_is_what_holds(now):
    briefing = briefing_of(bed_type="queen")
    texts = [
        "Hotel: Juniper Court Hotel (HT-3316), 2027-05-04 to 2027-05-06, 2 nights. Shall I book?",
        f"Hotel: Juniper Court Hotel (HT-3316), for 3 nights, {now}. Shall I book it?",
        "The hotel (HT-3316) costs $360.00. Shall I book it?",
    ]
    assert contradictions(read_plans(texts, briefing)[-1], briefing) == []


def test_of_many_questions_none_gets_a_bare_no():
    chat = opened("ruse")
    chat.say("How many stars?")
    answer = chat.say(
        "1. Aisle seats: firm, yes or no?\n2. Attraction: museum, tour or show, or no wish?\n"
        "3. Attraction: time of day, or no wish?\n4. Bed type?"
    )
    assert not answer.casefold().startswith("no")


def test_what_is_asked_with_a_yes_or_no_gets_a_word():
    chat = opened("terse", briefing=briefing_of(attraction_category="museum"))
    chat.say("What is your budget?")
    answer = chat.say("1. Attraction: a highest price per ticket, yes or no? If yes, how much?")
    assert "price limit" in answer.casefold()


def test_firm_or_not_behind_what_is_asked_is_of_that():
    chat = opened("terse")
    chat.say("Please tell me the travellers' names.")
    answer = chat.say(
        "Still open:\n1. Outbound flight: time of day, cabin? Firm or not?\n"
        "2. Return flight: the same questions. Firm or not?\n3. Hotel: district? Firm or not?"
    )
    assert "must" not in answer.casefold()


def test_whether_all_days_will_do_is_answered_beside_the_rest():
    window = ["2027-05-04", "2027-05-08"]
    chat = opened("ruse", briefing=briefing_of(departure_date=window))
    chat.say("Leaving May 4 to May 8, 2027: is that window right?")
    answer = chat.say(
        "- **Customer:** CU-33333\n- **Hotel:** how many stars?\n- **Departure:** are all days "
        "from May 4 to 8 fine, the first and last included?\n- **Attraction:** are all days fine?"
    )
    assert "day" in answer.casefold() and "star" in answer.casefold()


@pytest.mark.parametrize(
    "asked",
    [
        "Is evening definitely right, so that I should leave the afternoon out?",
        "May I rule the morning out, and take the evening?",
    ],
)
def test_what_is_left_out_is_no_way_there(asked):
    briefing = briefing_of(outbound_time_of_day="night", attraction_time_of_day="evening")
    assert "outbound_time_of_day" not in played(reworded(asked), briefing).wrong
    assert "outbound_time_of_day" in played("So the afternoon out, right?", briefing).wrong


def test_what_is_right_beside_a_settled_doubt_is_said_to_be():
    found = 0
    for seed in range(30):
        chat = opened("ruse", seed)
        chat.say("May I confirm: 2 travellers, 3 nights, May 3 to 7, 2027, Chicago to Pittsburgh?")
        said = chat.say("Which seat position would you like?").casefold()
        if not any(mark in said for mark in ("think", "sure", "guess", "believe")):
            continue
        found += 1
        answer = chat.say(
            "- Chicago to Pittsburgh, 2 travellers, 3 nights, leaving May 3 to 7, 2027\n"
            f"1. Seats: do you want {'window' if 'window' in said else 'aisle'} seats (and on both "
            "flights), or is any position fine?\n2. Is everything else above correct?"
        ).casefold()
        assert "aisle" in answer and any(word in answer for word in ("right", "correct", "true"))
    assert found


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize("behind", ("", " (yes / no)"))
def test_a_row_of_a_form_asks_as_a_line_does(condition, behind):
    chat = opened(condition)
    answer = chat.say(
        "- [x] Travellers and dates of birth confirmed\n\n**Next field**\n\n"
        "| # | Field | Your answer |\n|---|---|---|\n"
        "| ☐ 1 | Departure window: any day from 2027-05-03 to 2027-05-07, both included?"
        f"{behind} | |\n\n"
        "Waiting after that: ☐ hotel ☐ attraction ☐ budget"
    )
    assert re.match(r"(?:that's )?(?:right|correct|yes)\b", answer, re.I), answer


@pytest.mark.parametrize("condition", SHORT)
def test_what_comes_next_is_none_of_two_things_that_may_be_so(condition):
    chat = opened(condition)
    chat.say("Which seat position would you like, and how many stars?")
    answer = chat.say(
        "Seats: aisle on both flights. Correct?\n\nAnything more for the flights (stops, baggage,"
        " price), or may I go on to the hotel?"
    )
    assert re.match(r"(?:that's )?(?:right|correct|yes)\b", answer, re.I), answer


@pytest.mark.parametrize("seed", range(4))
def test_who_is_asked_of_its_doubt_says_not_that_it_said_so(seed):
    chat = opened("terse", seed)
    chat.say("How many stars should the hotel have?")
    answer = chat.say(
        'Hotel: you said "I guess". Is at least 4 stars what you want, or should it be a different'
        " number?"
    )
    assert "4" in answer and not re.search(r"\bsaid\b|\bagain\b", answer, re.I), answer
