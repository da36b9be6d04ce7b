"""How users speak of joint wishes: told whole, affirmed and denied, seen in a plan."""

from functools import cache

import pytest

from crab_graph.domain.contract import find_domain
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.play_backs import read_play_back
from crab_graph.personas.stated_plans import read_plan
from crab_graph.personas.understanding import reading_of

EITHER, SHARE, STARS, APART, CHEAPER, FLIGHTS, OUTING = (
    "attraction_either",
    "flights_share",
    "stars_unless",
    "apart_from_nights",
    "cheaper_district",
    "cheapest_flights",
    "cheapest_outing",
)
WISHES = {
    EITHER: "a tour in the afternoon or else a museum in the evening",
    SHARE: 50,
    STARS: 4,
    APART: True,
    CHEAPER: "Harborside or Old Town",
    FLIGHTS: True,
    OUTING: True,
}


@cache
def briefing_with(key, dates="fixed"):
    domain = find_domain("travel")
    draft = domain.draft(5, {"date_mode": dates, "party": 2})
    (rule,) = (one for one in domain.declaration.joint_rules if one.name == key)
    wishes = {key: WISHES[key], **dict.fromkeys(rule.instead)}
    request = draft.request.model_copy(update=wishes)
    return domain.briefing(domain.slots, domain.facts(request, draft.profile), "T", draft.today)


def heard(key, text):
    briefing = briefing_with(key)
    return briefing, reading_of(text, briefing.lexicon, briefing.slots)


@pytest.mark.parametrize(
    "key, text",
    (
        (EITHER, "So you'd like a tour in the afternoon or a museum in the evening, right?"),
        (EITHER, "The attraction is an afternoon tour or an evening museum. Is that correct?"),
        (EITHER, "Just to confirm: tour (afternoon) or museum (evening)?"),
        (STARS, "So at least 4 stars unless that breaks the budget, correct?"),
        (STARS, "You'd like a four-star hotel if the budget allows, right?"),
        (STARS, "Hotel: 4 stars, or less if none fits your budget. Is that right?"),
        (STARS, "4+ stars if the budget lets it. Is my replay right?"),
        (STARS, "At least 4 stars, budget permitting, correct?"),
        (SHARE, "So the flights may take no more than 50% of the budget, correct?"),
        (SHARE, "You want to spend at most half of the budget on flights, right?"),
        (APART, "No attraction on the day of a night flight or the day before or after, right?"),
        (CHEAPER, "You'd stay in Harborside or Old Town, whichever is cheaper, correct?"),
        (CHEAPER, "To confirm: hotel in Old Town or Harborside, the one that costs less. Right?"),
        (APART, "To confirm: no visit on the day of a red-eye nor on those next to it. Right?"),
        (
            APART,
            "If a flight leaves at 17:00 or later, no visit that day, nor the day after. Right?",
        ),
        (
            APART,
            "So no tour on the day of an evening departure, nor the day before. Is that right?",
        ),
        (FLIGHTS, "So you'd like the two flights that are cheapest together, right?"),
        (FLIGHTS, "To confirm: the pair of flights with the lowest combined price. Correct?"),
        (FLIGHTS, "Flights: the cheapest combination that fits the rest. Is that right?"),
    ),
)
def test_a_joint_wish_told_whole_is_affirmed(key, text):
    briefing, reading = heard(key, text)
    played = read_play_back(reading, briefing)
    assert key in played.right and not played.wrong


@pytest.mark.parametrize(
    "key, text",
    (
        (EITHER, "You want a museum in the evening, correct?"),
        (EITHER, "So a tour in the evening or a museum in the afternoon, correct?"),
        (EITHER, "To recap:\n- Attraction: tour\n- Time: afternoon\nIs that right?"),
        (STARS, "You want a 4-star hotel, right?"),
        (STARS, "So at least 3 stars unless that breaks the budget, correct?"),
        (SHARE, "At most 60 percent of your budget goes to flights, right?"),
        (APART, "You want no attraction on the day of a night flight, correct?"),
        (CHEAPER, "So the hotel should be in Old Town, right?"),
        (CHEAPER, "You want a hotel in Harborside or Old Town, correct?"),
        (CHEAPER, "You'd stay in Harborside or Hilltop, whichever is cheaper, right?"),
        (FLIGHTS, "You want the cheapest outbound flight and the cheapest return flight, right?"),
        (FLIGHTS, "You want the cheapest trip overall, correct?"),
    ),
)
def test_a_joint_wish_told_in_part_or_otherwise_is_denied(key, text):
    briefing, reading = heard(key, text)
    assert key in read_play_back(reading, briefing).wrong


@pytest.mark.parametrize(
    "key, text",
    (
        (EITHER, "What type of attraction would you like?"),
        (EITHER, "At what time of day should the attraction be?"),
        (STARS, "How many stars should the hotel have?"),
        (SHARE, "How should the budget be split between flights and hotel?"),
        (APART, "What time of day should the flights be?"),
        (CHEAPER, "Which district would you like to stay in?"),
        (CHEAPER, "Do you have a preferred neighbourhood for the hotel?"),
        (CHEAPER, "Should the attraction be in the same district as the hotel?"),
        (FLIGHTS, "Do you have any preferences for the flights?"),
        (FLIGHTS, "Would you like the cheapest flights?"),
        (FLIGHTS, "How important is the price of the flights to you?"),
    ),
)
def test_a_question_for_the_wish_whose_place_it_takes_asks_for_it(key, text):
    _, reading = heard(key, text)
    assert key in reading.asked


PLAN = (
    "This plan fits.\n- Outbound flight: FL-43081, FA-39912, 2027-05-10, night, 19:40.\n"
    "- Return flight: FL-84317, FA-11035, 2027-05-14, morning, 08:05.\n"
    "- Attraction: Windmill Outing (AT-24420), {}.\n\nShall I book these?"
)


@pytest.mark.parametrize(
    "key, shown, is_wrong",
    (
        (EITHER, "tour, 2027-05-12, afternoon", False),
        (EITHER, "museum, 2027-05-12, starts 18:10", False),
        (EITHER, "tour, 2027-05-12", False),
        (EITHER, "tour, 2027-05-12, evening", True),
        (EITHER, "show, 2027-05-12", True),
        (APART, "museum, 2027-05-12, afternoon", False),
        (APART, "museum, 2027-05-11, afternoon", True),
        (CHEAPER, "museum, 2027-05-12\n- Hotel: Alder Inn (HT-8823), Hilltop, 3 stars", True),
        (
            CHEAPER,
            "museum, 2027-05-12\n- Hotel: Alder Inn (HT-8823), Old Town, 3 stars",
            False,
        ),
        (CHEAPER, "museum, 2027-05-12\n- Hotel: Alder Inn (HT-8823), 3 stars", False),
    ),
)
def test_a_plan_that_no_reading_makes_fit_contradicts_the_wish(key, shown, is_wrong):
    briefing, reading = heard(key, PLAN.format(shown))
    plan = read_plan(reading, briefing.slots)
    assert (key in contradictions(plan, briefing)) is is_wrong


@pytest.mark.parametrize("key", (EITHER, CHEAPER, FLIGHTS))
def test_a_recap_in_the_words_of_the_user_tells_the_wish_and_asks_for_no_more(key):
    words = briefing_with(key).lexicon.facts[key]
    for sentence in words.full:
        value = words.choices.get(str(WISHES[key]), WISHES[key])
        told = sentence.format(value=value).replace("{Our}", "Our")
        briefing, reading = heard(key, f"This is what I have noted:\n\n- {told}\n\nIs it right?")
        assert key in read_play_back(reading, briefing).right, told


@pytest.mark.parametrize(
    "text",
    (
        "Yes, the rule about night flights is noted. What is your budget?",
        "Noted: no attraction on the day of a night flight (departing 17:00-23:59), nor the day"
        " right before or after it. Which seats?",
        "Two payments went through so far, $51.20 of them for the day of the night flight.",
    ),
)
def test_a_joint_wish_that_is_only_touched_upon_denies_nothing(text):
    briefing, reading = heard(APART, text)
    assert read_play_back(reading, briefing).wrong == ()
