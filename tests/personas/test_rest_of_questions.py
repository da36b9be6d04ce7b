"""What is left of several questions, and questions about what nobody has a wish on."""

import re
from dataclasses import replace

import pytest

from tests.personas.clinic_briefing import PATIENT
from tests.personas.test_joint_wishes import briefing_with
from tests.personas.test_rules_user import BOOKINGS, FACTS, PLAN, Chat
from tests.travel_words import TRAVEL

WAITS = re.compile(
    r"\b(?:rest|more|one (?:thing )?at a time|not all at once|one by one|first)\b", re.I
)
SEVERAL = "Which seat position, how many stars, what kind of attraction, and what budget?"


def opened(condition, seed=0, **given):
    chat = Chat(condition, seed, **given)
    chat.say()
    return chat


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("condition", ("terse", "impatient", "ruse", "d2"))
def test_who_leaves_questions_out_says_that_the_rest_will_follow(condition, seed):
    chat = opened(condition, seed)
    answer = chat.say(SEVERAL)
    details = {"seat_position", "hotel_stars", "attraction_category", "budget"}
    left = details - {*chat.told()}
    assert not left or WAITS.search(answer), answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_who_answers_everything_says_of_no_rest(condition):
    answer = opened(condition).say("How many stars should the hotel have?")
    assert "star" in answer.casefold() and not WAITS.search(answer)


@pytest.mark.parametrize("condition", ("terse", "impatient"))
@pytest.mark.parametrize("waits", ("Sure, take your time.", "Of course.", "I'm listening."))
def test_the_rest_follows_where_the_agent_only_waits_for_it(condition, waits):
    chat = opened(condition)
    chat.say(SEVERAL)
    before = {*chat.told()}
    chat.say(waits)
    assert len({*chat.told()} - before) >= 1


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral", "generic"))
@pytest.mark.parametrize(
    "asked, thing",
    (
        ("Is any particular fare wished?", "fare"),
        (
            "Does it matter whether the fare is Saver or Classic, or is there more on flights?",
            "fare",
        ),
    ),
)
def test_of_what_nobody_has_a_wish_on_any_will_do(asked, thing, condition):
    answer = opened(condition).say(asked)
    assert re.search(rf"\bany {thing}\b", answer, re.I), answer


def test_every_domain_has_words_for_what_nobody_wishes():
    chat = opened("terse", briefing=PATIENT)
    assert chat.user.first_briefing.lexicon.unwished.keys() >= {"part_price"}


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
@pytest.mark.parametrize(
    "asked",
    (
        "Is there a price limit per night for the hotel?",
        "Any wishes for the hotel, such as a maximum price per night?",
        "Hotel: any price limit?",
    ),
)
def test_who_has_told_its_budget_has_no_limit_for_one_part(asked, condition):
    chat = opened(condition)
    chat.say("What is your budget for the whole trip?")
    assert "budget" in chat.told()
    answer = chat.say(asked)
    assert "no price limit for any one part" in answer.casefold()
    assert "$" not in answer


def test_who_wants_what_costs_least_says_of_no_price_that_it_does_not_matter():
    chat = opened("neutral", briefing=briefing_with("cheapest_flights"))
    chat.say("What is your budget for the whole trip?")
    assert "price limit" not in chat.say("Is there a price limit for the flights?").casefold()


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_what_is_asked_for_by_itself_again_is_said_beside_what_is_new(condition):
    chat = opened(condition)
    chat.say("Which seat position would you like?")
    assert "seat_position" in chat.told()
    answer = chat.say("How many stars should the hotel have? And which seat position?")
    assert "star" in answer.casefold() and "aisle" in answer.casefold()


@pytest.mark.parametrize(
    "played, denied",
    (
        ("Is {early} for sure (back on {back})?", ("departure_date",)),
        ("So you leave on {early} and return on {back}, right?", ("departure_date",)),
        ("Is {first} certain (back on {late})?", ("nights",)),
    ),
)
def test_a_last_day_that_fits_a_wrong_first_one_is_not_denied_too(played, denied):
    facts = [
        replace(one, value="2027-05-13") if one.key == "departure_date" else one for one in FACTS
    ]
    briefing = TRAVEL.briefing(TRAVEL.slots, facts, "S1-001", "2027-01-10")
    days = {"early": 12, "back": 15, "first": 13, "late": 18}
    answer = opened("generic", briefing=briefing).say(
        played.format(**{name: f"2027-05-{day}" for name, day in days.items()})
    )
    assert ("nights" in answer) == ("nights" in denied)
    assert ("13" in answer) == ("departure_date" in denied)


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_equally_fine_rooms_ask_not_what_a_wish_for_an_attraction_means(condition):
    chat = opened(condition, briefing=briefing_with("attraction_either"))
    chat.say("What kind of attraction: a museum, a tour or a show?")
    answer = chat.say("Which should the room be, deluxe or standard, or are both equally fine?")
    assert not re.search(r"museum|tour|show", answer, re.I)


def test_a_wish_that_is_noted_as_such_is_no_outcome():
    chat = opened("impatient", briefing=briefing_with("cheapest_outing"))
    chat.say("Does the price of the flights matter to you?")
    answer = chat.say(
        "Noted: the flights and attraction chosen so that together they cost the least, and a "
        "budget of $2,500.00 for the whole trip. Is that right?"
    )
    assert not re.search(r"compare|how would i know|can't know|cannot know", answer, re.I)


@pytest.mark.parametrize("condition", ("terse", "d2"))
def test_what_is_asked_a_second_time_comes_before_what_is_new(condition):
    chat = opened(condition)
    chat.say("Which seat position, how many stars, what kind of attraction?")
    left = [
        key
        for key in ("seat_position", "hotel_stars", "attraction_category")
        if key not in chat.told()
    ]
    asked = {"hotel_stars": "how many stars", "attraction_category": "what kind of attraction"}
    again = " And ".join(f"{asked[key]}?" for key in left if key in asked)
    chat.say(f"What budget do you have? {again}")
    assert left[0] in chat.told()


@pytest.mark.parametrize("condition", ("terse", "impatient", "d2"))
def test_nobody_says_dates_of_birth_without_whose_they_are(condition):
    chat = opened(condition)
    chat.say("Names and dates of birth of all travellers, please.")
    told = {*chat.told()}
    assert "birth_dates" not in told or "traveller_names" in told


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_dates_of_birth_in_the_order_of_the_names_are_not_said_once_more(condition):
    chat = opened(condition)
    for _ in range(2):
        chat.say("Names and dates of birth of both travellers, please.")
    assert {"traveller_names", "birth_dates"} <= {*chat.told()}
    answer = chat.say("Thanks, names and dates of birth in that same order, right?")
    assert "1990" not in answer and re.search(r"\b(?:yes|right|correct)\b", answer, re.I)


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral", "generic"))
def test_who_is_told_that_another_is_looked_for_approves_nothing(condition):
    chat = opened(condition)
    chat.say(PLAN)
    answer = chat.say(
        "Bad luck: the seats on FL-48213 just sold out, nothing booked. Gonna search again, ok?"
    )
    assert "book it" not in answer.casefold()
    assert re.search(r"look|find|another|search", answer, re.I)


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_who_is_asked_for_more_of_one_thing_speaks_of_that(condition):
    chat = opened(condition)
    chat.say("How many stars should the hotel have?")
    answer = chat.say("Is there anything else for the hotel (such as breakfast), or is that all?")
    assert re.search(r"\b(?:have|know) it all (?:on that|there)\b", answer, re.I), answer
    assert "budget" not in answer.casefold()


def test_a_wish_that_is_noted_before_anything_else_is_not_said_again():
    chat = opened("terse", briefing=briefing_with("cheapest_outing"))
    chat.say("Does the price of the flights matter to you?")
    answer = chat.say("Noted: lowest total of flights plus attraction; anything else?")
    assert "least" not in answer and "cheapest" not in answer


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral", "generic"))
def test_the_day_of_a_date_before_a_word_for_hours_counts_no_nights(condition):
    chat = opened(condition)
    chat.say()
    answer = chat.say(f"{PLAN}\nAll as wished: return 2027-05-07 night, 3 nights. Correct?")
    assert "nights" not in answer.casefold()


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_a_recap_of_which_faults_are_to_be_told_asks_not_what_a_wish_means(condition):
    chat = opened(condition, briefing=briefing_with("cheapest_outing"))
    chat.say("Does the price of the flights matter to you?")
    answer = chat.say(
        "Here's what I've got so far; please tell me if anything's off:\n- out of everything that "
        "fits, the two flights and the attraction that cost least together"
    )
    assert "least" not in answer and "cheapest" not in answer


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_how_an_answer_might_look_plays_nothing_back(condition):
    answer = opened(condition).say(
        'Full name and date of birth of both travellers, please (e.g. "Jane Doe, 1990-02-01").'
    )
    assert not re.search(r"\b(?:wait|no|not|mix|plainly|clear)\b", answer, re.I), answer


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_a_budget_that_is_not_told_is_said_beside_limits_of_parts(condition):
    chat = opened(condition)
    chat.say("Is there a total budget, or a price limit for any part (flights, hotel per night)?")
    assert "budget" in chat.told()


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral", "generic"))
@pytest.mark.parametrize(
    "options",
    (
        "a) Yes, book all of it (nothing else wished)\nb) Change something / one more wish: ...",
        "1. Yes, go ahead\n2. No, change this: ...",
    ),
)
def test_a_yes_that_is_offered_to_choose_is_given_to_a_plan_that_fits(options, condition):
    chat = opened(condition)
    for _ in range(8):
        chat.say("Is there anything else I should know?")
    plan = PLAN.rpartition(" Shall I")[0]
    answer = chat.say(f"{plan}\n{options}")
    assert re.search(r"\b(?:yes|go ahead|go for it|fine|book)\b", answer, re.I), answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_what_is_free_is_not_said_a_third_time_among_much_that_is_new(condition):
    for asked, is_said in (
        ("Which room type, and how many stars should the hotel have?", True),
        ("- Which room type?\n- How many stars?\n- Which seats?\n- Which kind of visit?", False),
    ):
        chat = opened(condition)
        for _ in range(2):
            chat.say("Which room type would you like?")
        answer = chat.say(asked).casefold()
        assert "star" in answer and ("any room type" in answer) is is_said


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_the_day_of_an_attraction_is_no_other_day(condition):
    chat = opened(condition)
    answer = chat.say("The attraction: which day? Must its day be 2027-05-06, or is another fine?")
    assert "leav" not in answer.casefold() and "depart" not in answer.casefold()


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_a_doubt_that_is_to_be_settled_takes_nothing_of_what_one_answer_holds(condition):
    chat = opened(condition)
    chat.say("How many stars should the hotel have?")
    assert "hotel_stars" in chat.told()
    answer = chat.say(
        "May I ask you to settle this: should the hotel have definitely at least 4 stars, or would "
        "you prefer another number?\n\nWhich seat position would you like?"
    )
    assert "4 stars" in answer and "aisle" in answer.casefold()


@pytest.mark.parametrize("seed", range(4))
def test_answers_that_are_offered_settle_a_doubt(seed):
    chat = Chat("d3", seed)
    chat.say()
    doubted = [row["key"] for row in chat.state["disclosed"] if row["how"] != "exact"]
    if "seat_position" not in doubted:
        chat.say("Which seat position would you like?")
    before = [row["how"] for row in chat.state["disclosed"] if row["key"] == "seat_position"]
    answer = chat.say("About the seats:\na) window for certain\nb) aisle\nc) either")
    assert before[-1] == "exact" or "aisle" in answer.casefold(), (before, answer)


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_what_is_free_is_said_again_to_who_asks_for_it_of_another_part(condition):
    chat = opened(condition)
    chat.say("The outbound flight: any wish for the cabin or the airline?")
    answer = chat.say(
        "Recap: outbound before noon; return at any time of day.\n\nNext, on the return: any wish "
        "for the cabin, fare or airline, or is that all open too?"
    )
    assert re.search(r"cabin", answer, re.I) and re.search(r"airline", answer, re.I), answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
@pytest.mark.parametrize("goes_on", ("What next?", "Noted. Next?", "OK, one by one then."))
def test_who_said_that_more_follows_goes_on_where_that_is_asked_for(condition, goes_on):
    chat = opened(condition)
    chat.say(SEVERAL)
    before = {*chat.told()}
    chat.say(goes_on)
    assert {*chat.told()} > before


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_an_amount_beyond_the_limit_of_a_card_makes_nothing_dearer(condition):
    chat = Chat(condition, bookings=BOOKINGS)
    chat.say()
    chat.say("What is your budget for the whole trip?")
    chat.say(PLAN)
    chat.say("Please approve $360.00 for BK-00000003 with PM-11111111.")
    answer = chat.say(
        "The hotel BK-00000003 was declined: the card bears $500.00 a day, and $700.00 more would "
        "exceed that. Nothing was charged. Do you have another card?"
    )
    assert "budget" not in answer.casefold()


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_who_has_said_that_there_is_no_budget_has_no_limit_for_a_part_either(condition):
    facts = [fact for fact in FACTS if fact.key != "budget"]
    briefing = TRAVEL.briefing(TRAVEL.slots, facts, "S1-001", "2027-01-10")
    chat = opened(condition, briefing=briefing)
    assert "no fixed budget" in chat.say("What is your budget for the whole trip?").casefold()
    answer = chat.say("And is there a price limit for the hotel per night?")
    assert "no price limit for any one part" in answer.casefold()
    assert "budget" not in answer.casefold()


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_a_day_that_is_noted_before_an_open_question_is_not_said_again(condition):
    chat = opened(condition)
    chat.say("Anything else I should know about the trip, the hotel and the flights?")
    answer = chat.say("ok 4+ stars, leaving may 3. what else?")
    assert "3 may" not in answer.casefold() and "may 3" not in answer.casefold()


@pytest.mark.parametrize("condition", ("terse", "impatient", "ruse"))
def test_what_stands_in_brackets_is_not_what_the_next_question_is_about(condition):
    chat = opened(condition)
    asked = "OK. For the attraction, which kind (one around the flights)? What time of day?"
    chat.say(asked)
    assert "outbound_time_of_day" not in chat.told()


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_who_is_asked_for_all_that_is_left_has_not_done_with_one_thing(condition):
    answer = opened(condition).say("Which district? Send me all that is left, please.")
    assert WAITS.search(answer), answer


@pytest.mark.parametrize(
    "asked",
    [
        "Who was born in {0}: a) {1} or b) {2}? And which seats?",
        "Please tell me: {1} was born on ...? {2} was born on ...? Any seat wish?",
        "Which birth dates are right?\na) {1} {0}\nb) {2} {0}\nc) something else",
    ],
)
def test_whose_each_date_of_birth_is_asked_once_more_is_told_with_their_order(asked):
    chat = opened("terse")
    chat.say("What are the full names of all travellers?")
    year = next(re.finditer(r"(?:19|20)\d\d", chat.say("What are the dates of birth?")))[0]
    first, second = "Ana", "Leo"
    answer = chat.say(asked.format(year, first, second))
    assert "order" in answer and year in answer, answer


def test_a_yes_among_lettered_options_is_a_yes_to_the_plan():
    for last in (
        "a) Book all of it, b) change something, c) other wishes?",
        "To be sure: a) yes, book this whole plan, or b) no, change something?",
    ):
        chat = opened("generic")
        answer = chat.say(PLAN.replace("Shall I book all four?", f"\n{last}"))
        assert re.search(r"\b(?:yes|go ahead|book it|approve\w*|fine)\b", answer, re.I), answer


@pytest.mark.parametrize(
    "asked",
    [
        "Hotel: anything else (e.g. breakfast, district), or is that all?",
        "What else matters for the hotel?",
        "Any other hotel wish (breakfast, amenities)?",
        "What would you like in the hotel?",
        "Rest of the hotel wishes?",
        "Do you have further wishes for the hotel (district, room type)?",
    ],
)
@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_what_is_asked_of_one_part_is_answered_with_nothing_of_the_others(condition, asked):
    chat = opened(condition)
    before = {*chat.told()}
    chat.say(asked)
    assert {*chat.told()} - before <= {"hotel_stars"}


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_who_is_told_of_by_an_id_gives_no_address_of_itself(condition):
    chat = opened(condition)
    chat.say("Your customer id or email? All names? Any wishes? Your budget? Your card?")
    for _ in range(12):
        chat.say("Sure, take your time.")
    told = chat.told()
    assert not {"customer_id", "email"} <= {*told}, told


def test_the_rest_matters_to_who_has_told_some_of_it():
    chat = opened("impatient")
    for one in ("How many stars?", "Which kind of attraction?", "Your budget?", "Which seats?"):
        chat.say(one)
    asked = "Which stars, beds, room type and district? And the attraction: kind, day, price?"
    answer = chat.say(asked)
    assert not re.search(r"\brest\b.{0,12}\bmatter|apart from what", answer, re.I), answer


def test_names_stand_beside_dates_of_birth_where_both_are_asked_for():
    chat = opened("terse")
    chat.say("ok max $1,500.00 total. whats the rest? + names & dobs")
    assert "traveller_names" in chat.told()


def test_what_is_noted_of_a_thing_nobody_wishes_for_is_not_said_again():
    chat = opened("terse")
    chat.say("Is any particular fare wished?")
    answer = chat.say("Any fare will do: noted. Now to the hotel: how many stars?")
    assert "star" in answer.casefold() and "fare" not in answer.casefold()


def test_whether_any_will_do_beside_a_question_which_is_affirmed_by_no_bare_word():
    answer = opened("terse").say(
        "Which part of Pittsburgh would you like to stay in (Hilltop, Old Town), or is any fine?"
    )
    assert not re.match(r"(?:yes|right|correct)\b", answer, re.I), answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_what_was_told_is_told_again_to_who_asks_if_it_matters(condition):
    chat = opened(condition)
    chat.say("How many stars should the hotel have?")
    answer = chat.say("At least 4 stars or no matter? And any other wish?")
    assert "4 star" in answer, answer


@pytest.mark.parametrize("condition", ("terse", "impatient"))
@pytest.mark.parametrize(
    "asked",
    (
        "What is the next wish?",
        'Please tell me the rest, or write "nothing else" if that was everything.',
    ),
)
def test_what_was_said_to_follow_follows_where_it_is_asked_for(condition, asked):
    chat = opened(condition)
    chat.say(SEVERAL)
    before = {*chat.told()}
    chat.say(asked)
    assert {*chat.told()} - before


def test_what_may_be_missing_is_nothing_that_was_told():
    chat = opened("terse")
    chat.say("How many stars?")
    chat.say("Your budget?")
    answer = chat.say(
        "I wondered whether something is still missing. Do you have any further wish for the "
        "hotel, the flights or the trip as a whole (for example breakfast, stars)?"
    )
    assert "star" not in answer.casefold(), answer


@pytest.mark.parametrize("condition", ("terse", "impatient", "generic"))
@pytest.mark.parametrize(
    "asked",
    (
        "cheapest wanted, or any plan that fits ok?",
        "Should I look for the lowest total, or is any plan that fits fine with you?",
        "Would you like the cheapest trip of all that fit, yes or no?",
    ),
)
def test_whether_the_cheapest_plan_is_wished_is_no_yes_of_who_wishes_no_such_thing(
    condition, asked
):
    chat = opened(condition)
    chat.say("What is your budget?")
    answer = chat.say(asked)
    assert re.search(r"any plan", answer, re.I) and not re.match(r"right|correct|yes", answer, re.I)
