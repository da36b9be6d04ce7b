"""Questions before a plan: what they are about is answered, and nothing that they are not about."""

import pytest

from crab_graph.domain.contract import find_domain
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.spoken_dates import find_dates
from tests.personas.test_rules_user import BASIC, BRIEFING, FACTS, Chat
from tests.travel_words import TRAVEL

TIMES = {"outbound_time_of_day": "midday", "return_time_of_day": "midday"}


def briefing_of(**wishes):
    domain = find_domain("travel")
    draft = domain.draft(5, {"date_mode": "fixed", "party": 2})
    request = draft.request.model_copy(update=wishes)
    return domain.briefing(domain.slots, domain.facts(request, draft.profile), "T", draft.today)


def opened(condition="neutral", seed=0, briefing=BRIEFING):
    chat = Chat(condition, seed, briefing=briefing)
    chat.say()
    return chat


@pytest.mark.parametrize(
    "question",
    [
        "And your phone number please?",
        "Is breakfast important?",
        "What is the purpose of your trip?",
        "Are you celebrating anything special?",
        "Is this for business or leisure?",
        "Have you been to Pittsburgh before?",
        "How many rooms do you need for the two of you?",
        "Would you be open to a connecting flight, or direct only?",
        "Do you need a visa or travel insurance?",
        "How many approvals have you recorded?",
    ],
)
@pytest.mark.parametrize("condition", ["neutral", "terse", "generic"])
def test_a_question_on_which_there_is_no_fact_is_answered_with_none(question, condition):
    chat = opened(condition)
    told = chat.told()
    said = chat.say(question)
    assert chat.told() == told
    assert "can't change" not in said


@pytest.mark.parametrize(
    "question, key",
    [
        ("Is anyone else coming along?", "party_size"),
        ("Will there be any children travelling?", "birth_dates"),
        ("Can you pay by bank transfer?", "payment_card"),
        ("I did not quite get the seat part. What was it?", "seat_position"),
        ("Is the budget per person or total?", "budget"),
    ],
)
def test_a_roundabout_question_gets_the_fact_that_answers_it(question, key):
    chat = opened()
    chat.say(question)
    assert chat.told()[-1] == key


@pytest.mark.parametrize(
    "request_for_names",
    [
        "Now the names in that order, please. And what do you want of the flights?",
        "Lovely! The names, please! And what are your wishes for the hotel?",
    ],
)
def test_names_that_are_asked_for_are_told_before_what_a_whole_part_is_to_be(request_for_names):
    chat = opened("terse")
    chat.say("How many are you?")
    chat.say(request_for_names)
    assert "traveller_names" in chat.told()


def test_whose_the_budget_is_for_is_said_with_it():
    assert "everything" in opened("terse").say("Is the budget per person or total?")


@pytest.mark.parametrize(
    "question",
    ["What exactly do you mean by 'midday'?", "Does midday include 16:30 for you?"],
)
def test_asked_what_a_word_for_hours_means_the_user_says_the_hours(question):
    said = opened(briefing=briefing_of(**TIMES)).say(question)
    assert "12:00" in said
    assert "17:00" in said


@pytest.mark.parametrize("day, is_right", [("10th", True), ("17th", False)])
def test_a_day_said_by_the_calendar_is_checked_by_its_date(day, is_right):
    fixed = Fact("departure_date", "2027-06-10", FactLevel.BASIC)
    facts = [fixed if fact.key == fixed.key else fact for fact in FACTS]
    briefing = TRAVEL.briefing(TRAVEL.slots, facts, "S1-001", "2027-01-10")
    chat = opened("d1+d2", briefing=briefing)
    said = chat.say(f"When you say second Thursday of June, do you mean the {day}?").casefold()
    assert ("10" in said and "no" in said.split("\n")[0]) is not is_right


@pytest.mark.parametrize("day, is_right", [("06-25", True), ("6/25", True), ("06-26", False)])
@pytest.mark.parametrize("check", ["Departure {} for sure?", "Thanks. Please confirm {}."])
def test_a_day_in_figures_without_a_year_is_checked(day, is_right, check):
    fixed = Fact("departure_date", "2027-06-25", FactLevel.BASIC)
    facts = [fixed if fact.key == fixed.key else fact for fact in FACTS]
    briefing = TRAVEL.briefing(TRAVEL.slots, facts, "S1-001", "2027-01-10")
    chat = opened("terse", briefing=briefing)
    assert ("25" in chat.say(check.format(day))) is not is_right


@pytest.mark.parametrize(
    "text, days",
    [
        ("out 9/21, back 9/26", ["2027-09-21", "2027-09-26"]),
        ("AT-90669, Riverfront, 09-23 19:10", ["2027-09-23"]),
        ("either 09/05 or 10-28", ["2027-09-05", "2027-10-28"]),
        ("midday 12-17, morning 06-12, night 17-24", []),
        ("24/7, 3/4 of it, 10-15 minutes, 09-17 h, BK-09-23, 555-0923, 09-23-1961", []),
    ],
)
def test_figures_are_a_day_where_they_can_be_hardly_anything_else(text, days):
    assert [one.iso for one in find_dates(text, "2027-01-13")] == days


def test_the_price_of_what_is_for_sale_is_no_budget():
    said = opened().say("Is it right that no two flights cost less than $230?")
    assert "1,500" not in said


@pytest.mark.parametrize("check", ["Good so far?", "Does that work?", "Sounds right?"])
def test_a_loose_check_of_what_was_noted_is_a_check(check):
    assert "2" in opened("terse").say(f"I have you down as 3 people for 3 nights. {check}")
    chat = opened("terse")
    chat.say(f"I have you down as 2 people for 3 nights. {check}")
    assert {*chat.told()} == {*BASIC}


def test_what_is_announced_unless_there_is_a_no_is_corrected():
    text = "Unless I hear otherwise I'll look for a hotel of 3 stars. Does that work?"
    assert "4 stars" in opened().say(text)


@pytest.mark.parametrize("verb", ["take it", "assume", "conclude"])
def test_what_the_agent_would_assume_is_no_offer_to_book(verb):
    said = opened().say(f"Shall I {verb} that you have no preference on seats?")
    assert "aisle" in said.casefold()


def test_any_wish_for_two_flights_brings_out_what_they_are_to_have_in_common():
    chat = opened("neutral", briefing=briefing_of(same_carrier=True))
    chat.say("Any preferences for the flights?")
    assert "same_carrier" in chat.told()


def test_a_condition_comes_behind_what_other_words_ask_for():
    wishes = {"apart_from_nights": True, "seat_type": "business", **dict.fromkeys(TIMES)}
    chat = opened("terse", briefing=briefing_of(**wishes))
    assert "business" in chat.say("Going out: what time of day, what cabin?").casefold()
    assert "any time" in chat.say("And what time of day?").casefold()


@pytest.mark.parametrize("question", ["Where should the hotel be?", "Must both share a district?"])
def test_where_the_hotel_should_be_is_a_question_for_the_district(question):
    chat = opened("terse", briefing=briefing_of(same_district=True, bed_type=None))
    assert "district" in chat.say(question)
    assert "bed" not in chat.say(question)


def test_who_asks_which_wish_may_go_is_told_none():
    chat = opened("neutral")
    chat.say("Is there any wish that you would give up if I cannot meet all of them?")
    assert {*chat.told()} == {*BASIC}


def test_asked_for_what_is_missing_the_user_goes_on():
    chat = opened()
    chat.say("Please check this, and tell me what is missing:\n- two people\n- 3 nights")
    assert "hotel_stars" in chat.told()


@pytest.mark.parametrize(
    "question, right",
    [
        ("Just checking, Chicago to Boston, right?", "Pittsburgh"),
        ("Quick check: Chicago → Boston, 2 people, all correct so far?", "Pittsburgh"),
        ("Boston to Pittsburgh, correct?", "Chicago"),
        ("CU-20471, is that the id?", "CU-20417"),
    ],
)
@pytest.mark.parametrize("condition", ["neutral", "terse"])
def test_a_wrong_end_of_the_way_and_a_wrong_id_are_corrected(question, right, condition):
    assert right in opened(condition).say(question)


@pytest.mark.parametrize(
    "question",
    ["Chicago to Pittsburgh, right?", "Pittsburgh to Chicago on the way back, right?"],
)
def test_the_right_way_and_the_way_back_are_affirmed(question):
    said = opened("terse").say(question).casefold()
    assert any(word in said for word in ("yes", "right", "correct"))


@pytest.mark.parametrize(
    "check",
    [
        "You'd like the cheapest option, right?",
        "So you're okay with an early start, correct?",
        "You'd be happy with a short walk, right?",
    ],
)
@pytest.mark.parametrize("condition", ["neutral", "terse", "generic"])
def test_what_is_taken_for_granted_without_a_wish_gets_no_yes(check, condition):
    chat = opened(condition)
    told = chat.told()
    said = chat.say(check).casefold()
    fits = ("fits what i", "within what i", "whatever fits", "what fits")
    assert any(words in said for words in fits)
    assert chat.told() == told


@pytest.mark.parametrize(
    "played, is_right",
    [
        ("{a}, {one}; {b}, {two}. Correct?", True),
        ("{a}, {two}; {b}, {one}. Correct?", False),
        ("- {a} (born {two})\n- {b} (born {one})\nIs this right?", False),
        ("{first} is born {two} and {second} {one}, right?", False),
        ("{first} is born {one} and {second} {two}, right?", True),
        ("| {a} | {two} |\n| {b} | {one} |\n\nIs this correct?", False),
        ("{a} and {b}, {one} and {two}. Correct?", True),
    ],
)
def test_dates_of_birth_beside_each_others_names_are_corrected(played, is_right):
    facts = {fact.key: fact.value for fact in briefing_of().facts}
    (a, b), (one, two) = facts["traveller_names"], facts["birth_dates"]
    first, second = a.split()[0], b.split()[0]
    text = played.format(a=a, b=b, one=one, two=two, first=first, second=second)
    said = opened(briefing=briefing_of()).say(f"To be sure of the travellers:\n{text}").casefold()
    is_denied = any(
        word in said for word in ("no,", "not quite", "not right", "plainly", "mix-up", "correct")
    )
    assert ("that's right" in said or "yes" in said or "that is correct" in said) is is_right
    assert is_denied or is_right


@pytest.mark.parametrize(
    "question, key",
    [
        ("Who am I booking this for?", "traveller_names"),
        ("How shall I address you?", "traveller_names"),
        ("Are these two adults?", "birth_dates"),
        ("And under which account?", "customer_id"),
        ("I haven't heard a budget so far. Is there one?", "budget"),
    ],
)
def test_a_question_in_passing_gets_the_fact_that_it_is_about(question, key):
    chat = opened("terse")
    chat.say(question)
    assert chat.told()[-1] == key


@pytest.mark.parametrize("question", ["Your account shows the name {}. Is that you?"])
def test_whose_account_it_is_gets_a_yes(question):
    names = next(fact.value for fact in FACTS if fact.key == "traveller_names")
    said = opened("terse").say(question.format(names[0])).casefold()
    assert "yes" in said or "right" in said or "correct" in said


@pytest.mark.parametrize(
    "question",
    ["Any deal-breakers?", "I think I have all of it now. Did I miss something?"],
)
def test_what_else_matters_is_an_open_question(question):
    chat = opened("neutral+d2")
    chat.say(question)
    assert {*chat.told()} > {*BASIC}


def test_a_must_that_the_agent_would_loosen_gets_no_yes():
    chat = opened("terse+d2")
    chat.say("Which seats?")
    said = chat.say("Can I treat the aisle seat as a preference rather than a must?").casefold()
    assert "aisle" in said
    assert "yes" not in said


@pytest.mark.parametrize(
    "question",
    ["Is it OK if I start looking?", "Is it fine if the attraction is far from the hotel?"],
)
def test_leave_to_search_is_no_plan_to_be_shown(question):
    said = opened().say(question).casefold()
    assert "price" not in said
    assert "cost" not in said


@pytest.mark.parametrize(
    "question", ["Should the flights be non-stop?", "How many bags will you bring?"]
)
def test_of_what_nothing_was_told_no_other_wish_is_said(question):
    chat = opened("neutral")
    told = chat.told()
    chat.say(question)
    assert chat.told() == told


def tour_briefing():
    domain = find_domain("tour")
    draft = domain.draft(5, {"dates": "fixed", "party": 2})
    return domain.briefing(
        domain.slots, domain.facts(draft.request, draft.profile), "T", draft.today
    )


@pytest.mark.parametrize(
    "check, is_right",
    [
        ("{home} → {one} → {two} → {home}, correct?", True),
        ("{home} → {two} → {one} → {home}, correct?", False),
        ("So first {one} and then {two}, right?", True),
        ("So first {two} and then {one}, right?", False),
        ("You go from {home} to {two}, then to {one}, right?", False),
    ],
)
def test_the_order_of_several_stops_is_checked(check, is_right):
    briefing = tour_briefing()
    facts = {fact.key: fact.value for fact in briefing.facts}
    home, one, two = (facts[key] for key in ("origin", "first_city", "second_city"))
    said = opened(briefing=briefing).say(check.format(home=home, one=one, two=two))
    assert (f"first city is {one}" in said or f"irst we go to {one}" in said) is not is_right


def test_which_cities_and_in_which_order_gets_both():
    chat = opened(briefing=tour_briefing())
    assert "second" in chat.say("Which cities, in which order?").casefold()


@pytest.mark.parametrize(
    ("others", "says"), [("one other person", ("2", "correct", "right")), ("two others", ("2",))]
)
def test_those_who_come_along_are_counted(others, says):
    said = opened("terse").say(f"To be sure of the party: it's you and {others}?").casefold()
    assert any(one in said for one in says), said


@pytest.mark.parametrize(
    "question", ["How flexible are you with the dates?", "Are your dates flexible by a day or two?"]
)
def test_who_has_several_days_says_which_when_asked_how_flexible_it_is(question):
    window = Fact("departure_date", ["2027-06-10", "2027-06-14"], FactLevel.BASIC)
    facts = [window if fact.key == window.key else fact for fact in FACTS]
    briefing = TRAVEL.briefing(TRAVEL.slots, facts, "S1-001", "2027-01-10")
    said = opened(briefing=briefing).say(question)
    assert "10" in said
    assert "14" in said
