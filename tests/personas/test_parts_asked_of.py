"""Which part of a job a question means that names none by itself, and what stands beside it."""

import re

import pytest

from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.personas.briefing import Fact, FactLevel
from tests.personas.clinic_briefing import FACTS, PATIENT
from tests.personas.test_parts_of_jobs import AFFIRMS, CONDITIONS, OBJECTS, settled
from tests.personas.test_rules_user import Chat
from tests.personas.tour_briefing import THRIFTY, TOURIST, VARIED

EITHER = CLINIC.briefing(
    CLINIC.slots,
    [
        *(fact for fact in FACTS if fact.key not in {"lab_time_of_day", "same_district"}),
        Fact("lab_either", "morning", FactLevel.DETAIL),
        Fact("same_practice", True, FactLevel.DETAIL),
    ],
    "S1-002",
    "2027-06-09",
)
BY_NAME = {
    "tourist": TOURIST,
    "thrifty": THRIFTY,
    "varied": VARIED,
    "patient": PATIENT,
    "either": EITHER,
}


NO_CERTAIN_ONE = re.compile(r"\b(?:no particular|need not be|have to be a certain|any one)\b")


def answered(condition, name, asked):
    return settled(condition, BY_NAME[name]).say(asked).casefold()


def told_first(condition, name, asked):
    chat = Chat(condition, briefing=BY_NAME[name])
    chat.say()
    before = {*chat.told()}
    return chat.say(asked).casefold(), {*chat.told()} - before


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("name", "asked", "says", "never"),
    [
        (
            "tourist",
            "Museum or walk in Brussels? And in Hamburg? Any day or hour attached to either?",
            "any day for the first attraction and the second",
            "leaving",
        ),
        (
            "tourist",
            "Any time of day for the first and third leg, noted. How is it with the second one?",
            "any time of day is welcome for the second leg",
            "rafael",
        ),
        (
            "tourist",
            "Standard class: is that settled now? If yes, let's go to the second leg – when on"
            " Tuesday the 26th would you like to travel on?",
            "any time of day is welcome for the second leg",
            "october",
        ),
        (
            "tourist",
            "For Hamburg, a concert it is. Is there a time of day you'd prefer for each of the"
            " two?",
            "first attraction",
            "third leg",
        ),
        (
            "tourist",
            "Understood, concert in Hamburg. Must that concert be in the evening, or would an"
            " afternoon one be okay also?",
            "any time of day is welcome for the second attraction",
            "a must",
        ),
        (
            "tourist",
            "And the seats on the third leg: any, or something in particular?",
            "any seat",
            "third leg",
        ),
        (
            "tourist",
            "The concert in Hamburg may be at any hour, yes? And for Brussels, what kind would you"
            " like to see, and when?",
            "the first attraction may be of any kind",
            "second",
        ),
        ("patient", "What time of day for the GP? And for the specialist?", "specialist", "zzz"),
        (
            "either",
            "re: Specialist\nNoted so far: Medicore. Time of day, practice or district wanted"
            " there, or all open?",
            "specialist",
            "lab test|gp appointment",
        ),
        (
            "either",
            "Same practice for neurologist and physio, got it, non-negotiable. Does the GP have to"
            " be in that practice as well?",
            "any practice is welcome for the gp",
            "neurology|a must",
        ),
        (
            "patient",
            "As to the physiotherapy: are the five sessions set in stone, or would four or six do?",
            "5 sessions",
            "medicore",
        ),
        ("patient", "**Open points:**\n- Physiotherapy: which body area?", "knee", "district"),
        (
            "patient",
            "Which provider or providers did you mention Medicore for?",
            "all four",
            "meaning",
        ),
    ],
)
def test_a_question_is_heard_of_the_part_that_it_means(condition, name, asked, says, never):
    said = answered(condition, name, asked)
    assert re.search(says, said), said
    assert not re.search(never, said), said


@pytest.mark.parametrize("condition", CONDITIONS[1:])
@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        ("What should your hotel in Brussels be like?", {"stars"}),
        ("Hotels! Brussels 24 October, Hamburg 26 October. What do you need there?", {"stars"}),
        ("And what should I put down for leg 2?", {"travel_class", "same_carrier"}),
        (
            "For the second leg, is there something I must observe, or am I free to pick?",
            {"travel_class", "same_carrier"},
        ),
        (
            "While you dig out the birth dates: is there anything special about the third leg?",
            {"travel_class", "third_leg_time_of_day", "same_carrier"},
        ),
        ("What kind of attraction in Brussels? And in Hamburg?", {"second_visit_category"}),
        (
            "Museum, walk or concert for the first attraction? And for the second?",
            {"second_visit_category"},
        ),
        (
            "Which attractions have you got in mind, and is there a day you'd rather avoid?",
            {"second_visit_category"},
        ),
    ],
)
def test_what_is_wished_of_a_part_is_told_to_any_open_question(condition, asked, keys):
    said, told = told_first(condition, "tourist", asked)
    assert told & keys, (said, told)
    assert not re.search(r"mean|question|whatever|born|\d{4}-\d\d-\d\d", said), said


def test_two_places_behind_one_noun_are_both_asked_about():
    said, told = told_first(
        "impatient",
        "tourist",
        "Any other wishes for the stay in Brussels or in Hamburg, such as district or chain?",
    )
    assert "second_district" in told, said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("thing", ["3 stars for both hotels", "the same carrier on all legs"])
def test_who_would_love_a_yes_gets_one(condition, thing):
    said = answered(condition, "tourist", f"I'd still love your yes that it is {thing}.")
    assert re.search(AFFIRMS, said), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("name", "asked", "says"),
    [
        (
            "patient",
            "To check I've understood: GP and imaging in the same district, and the whole not above"
            " $500. Is there anything else I should know?",
            r"365",
        ),
        (
            "tourist",
            "Before I go hunting: 3 nights in Brussels, 2 in Hamburg, same carrier. And what's the"
            " most you'd spend overall?",
            r"2 nights",
        ),
        (
            "tourist",
            "Recorded: Rafael Calloway (1996-02-26), Noor Keller (1996-06-30). Any chain you want?",
            r"1984|june 30, 1984",
        ),
        ("patient", "I repeat: 5 sessions for the back, GP before noon. Is this good so?", "knee"),
        (
            "thrifty",
            "So: the Brussels hotel cheaper per night than the Hamburg one, concert in Hamburg,"
            " same carrier. All good?",
            r"second stay.*(?:cheaper|less)",
        ),
        (
            "either",
            "So: physio at the same practice as the GP, the specialist within 5 days. Is all of"
            " that right?",
            r"specialist consultation and physio",
        ),
    ],
)
def test_a_slip_in_what_is_noted_is_put_right(condition, name, asked, says):
    said = answered(condition, name, asked)
    assert re.search(says, said), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("thrifty", "So the Hamburg hotel costs less per night than the Brussels one, right?"),
        (
            "either",
            "First choice is a morning slot for the lab anywhere, and only if there's none, one in"
            " the GP's district at whatever hour. Is that how you meant it?",
        ),
        ("tourist", "So in Hamburg the hotel and the attraction share a district, right?"),
        ("tourist", "The second one of the legs leaves Brussels for Hamburg, right?"),
    ],
)
def test_what_is_noted_rightly_is_affirmed(condition, name, asked):
    said = answered(condition, name, asked)
    assert re.search(AFFIRMS, said) and not re.search(OBJECTS, said), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("patient", "Before I search, one last check: the lab test would be on a Sunday. OK?"),
        ("patient", 'You said "within 5 days of the GP". Would the very same day be fine too?'),
        (
            "either",
            "The only way is the GP at Summit Care and the specialist at Lakeview Health. Would you"
            " be okay with two different practices there?",
        ),
        (
            "tourist",
            "The second leg that fits is a flight at 07:05, so you'd be up early. Would that be"
            " acceptable?",
        ),
    ],
)
def test_what_no_wish_speaks_of_will_do(condition, name, asked):
    said = answered(condition, name, asked)
    assert re.search(
        r"do\b|fits?\b|mind|fine|suits?|works?|view|think best|matter|whatever|easy|right", said
    ), said
    assert not re.search(r"can.t|cannot|insist|stand|mean\b|which ones", said), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "Do I understand right that the five sessions of physio must be 1 day apart?",
        "So the physio sessions have to be 2 days apart, is that right?",
    ],
)
def test_what_nobody_wished_is_taken_for_no_must(condition, asked):
    said = answered(condition, "patient", asked)
    assert "any days apart" in said, said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_sums_within_the_limit_and_prices_for_one_play_nothing_back(condition):
    said = answered(
        condition,
        "patient",
        "By that the sum rises from $300.00 to $340.50, still below your budget. Is it worth it to"
        " you, or do you rather keep the others?",
    )
    assert not re.search(r"wait|clear|365|mix-up", said), said


PUTS_OFF = r"\b(?:rest|more|next|later|one by one|one at a time|one thing|moment|coming|first)\b"


@pytest.mark.parametrize("condition", CONDITIONS[1:])
@pytest.mark.parametrize(
    "asked",
    [
        "Please tell me:\n1. Which class would you like?\n2. Which time of day for the first leg?\n"
        "3. What about the quiet carriages, then?",
        "- Class on the legs?\n- Time of day for the second leg?\n- Which side of the aisle suits?",
    ],
)
def test_who_answers_some_of_many_questions_says_that_others_wait(condition, asked):
    said, told = told_first(condition, "tourist", asked)
    assert "travel_class" in told, said
    assert re.search(PUTS_OFF, said), said


@pytest.mark.parametrize("condition", CONDITIONS[1:])
def test_who_says_that_nothing_is_left_puts_nothing_off(condition):
    said = answered(
        condition,
        "tourist",
        "Which class was it again? Any time for the second leg? Anything else, or is that all?",
    )
    is_closed = re.search(r"nothing else|everything|that's it", said)
    assert not (is_closed and re.search(r"\b(?:rest|more) (?:later|next|in a)\b", said)), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("name", "asked", "says", "never"),
    [
        (
            "tourist",
            "Carrier: does it matter which one (Rapidor, Transvale, ...)?"
            "\nSeat position on the first and third leg: window, aisle, or any?",
            "any seat is welcome",
            "same carrier",
        ),
        (
            "varied",
            "That leaves a guided walk or a museum for Brussels: do you prefer one of the two?"
            " And is any chain of hotels okay?",
            "",
            "different",
        ),
    ],
)
def test_no_certain_one_is_wished_of_what_is_only_to_be_alike(condition, name, asked, says, never):
    heard = answered(condition, name, asked)
    assert NO_CERTAIN_ONE.search(heard), heard
    assert says in heard, heard
    assert never not in heard, heard


@pytest.mark.parametrize("condition", CONDITIONS)
def test_who_is_asked_if_a_plan_is_good_for_them_says_nothing_of_who_they_are(condition):
    heard = answered(condition, "tourist", "Thank you. Is this plan good for you?")
    assert not re.search(r"\b(?:one of|among|i am|i'm)\b", heard), heard


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_wish_that_stands_among_what_is_open_is_not_taken_for_told(condition):
    said, told = told_first(
        condition,
        "tourist",
        "Noted: two people. I also read your start as Zurich. Please tell me if that is not right."
        "\n\nOpen for the attractions, for Brussels and for Hamburg: museum, walk or concert, the"
        " time of day, the district, and any price limit per ticket.\n\nWhere does it end?",
    )
    assert "second_visit_category" not in told or "concert" in said, (told, said)
