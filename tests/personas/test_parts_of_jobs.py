"""Parts of a job that have words of their own in a domain: by their place, their kind, together."""

import re

import pytest

from tests.personas.clinic_briefing import LINGUIST, PATIENT
from tests.personas.test_noted import until_nothing_is_new
from tests.personas.test_rules_user import Chat
from tests.personas.tour_briefing import THRIFTY, TOURIST, VARIED

CONDITIONS = ("generic", "terse", "impatient", "neutral")
OBJECTS = r"\b(?:wait|hold on|no\b|not right|to be clear|mix-up|misspoke|read what)"
AFFIRMS = r"\b(?:right|correct|yes|yep|exactly)\b"


def settled(condition, briefing):
    chat = Chat(condition, briefing=briefing)
    chat.say()
    return until_nothing_is_new(chat)


def is_affirmed(condition, briefing, asked):
    said = settled(condition, briefing).say(asked).casefold()
    return re.search(AFFIRMS, said) is not None and re.search(OBJECTS, said) is None


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "So Zurich to Brussels, then Brussels to Hamburg. Right?",
        "Is it Zurich to Brussels, Brussels to Hamburg, and Hamburg back to Zurich? Just a yes.",
        "Does the third leg bring you home to Zurich?",
        "And from Hamburg you go back home to Zurich, correct?",
        "So: a concert in Hamburg, and home to Zurich at the end. Is that right?",
    ],
)
def test_a_way_that_leads_back_to_where_it_began_is_right(condition, asked):
    assert is_affirmed(condition, TOURIST, asked)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "Where should the third leg take you from Hamburg?",
        "And where does the tour end?",
        "Where does it end: Zurich, or another city?",
    ],
)
def test_where_a_tour_ends_is_where_it_starts(condition, asked):
    assert "zurich" in settled(condition, TOURIST).say(asked).casefold()


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "So first to Hamburg and then on to Brussels, right?",
        "Zurich to Hamburg, then Hamburg to Brussels, right?",
    ],
)
def test_cities_in_another_order_are_not_affirmed(condition, asked):
    said = settled(condition, TOURIST).say(asked).casefold()
    assert "brussels" in said and "hamburg" in said, said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("asked", "of", "not_of"),
    [
        (
            "What about the second leg, Brussels to Hamburg? Any time of day, class and seat?",
            "second leg",
            "third leg: |morning",
        ),
        ("Which time of day for the attraction in Brussels?", "first attraction", "third leg|morn"),
        ("The Hamburg concert: what time of day?", "second attraction", "third leg|morning"),
        (
            "A concert in Hamburg and any activity in Brussels, noted. What about the time of day"
            " for each of those two?",
            "first attraction.*second attraction|both",
            "third leg|morning",
        ),
        ("On which day should the Brussels activity be?", "first attraction", "24"),
        ("Which hour would you like for the first and the second leg?", "second leg", "morning"),
        (
            "And the second leg, Brussels to Hamburg: is there an hour, seat or price you would"
            " have?",
            "second leg",
            "morning",
        ),
        ("And the time of day for the second flight?", "second leg", "morning"),
    ],
)
def test_of_a_part_without_a_wish_any_will_do(condition, asked, of, not_of):
    said = settled(condition, TOURIST).say(asked).casefold()
    assert re.search(rf"any .*(?:{of})", said, re.S), said
    assert not re.search(not_of, said), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "So in Hamburg, the hotel and the attraction should be in the same district. In Brussels,"
        " the attraction can be in any district. Right?",
        "The Hamburg hotel is in the district of the Hamburg concert, right?",
    ],
)
def test_what_is_told_of_one_city_is_not_heard_of_the_other(condition, asked):
    assert is_affirmed(condition, TOURIST, asked)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("Is standard class for all three legs, or only for the first?", "all three legs"),
        ("At least 3 stars: is that for both hotels, or only for the one in Hamburg?", "both"),
    ],
)
def test_a_wish_of_several_parts_is_said_to_hold_for_all(condition, asked, says):
    assert says in settled(condition, TOURIST).say(asked).casefold()


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "Medicore: must it be accepted by all four parts, that is by the GP, the imaging test, the"
        " neurology consultation and the physiotherapy? Or only by some of them?",
        "Does Medicore apply to all four parts, or only to certain ones?",
    ],
)
def test_an_insurance_holds_for_every_part(condition, asked):
    said = settled(condition, PATIENT).say(asked).casefold()
    assert "medicore" in said and "all four parts" in said, said
    assert "neurology" not in said and "imaging" not in said, said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("How soon do you need the results of the imaging test?", "as long as fits"),
        ("How many days should lie between the sessions?", "any days apart"),
        ("On which day should the physiotherapy start?", "any day .*physiotherapy"),
        ("Which practice would you like for the GP?", "any practice .*gp"),
    ],
)
def test_what_nobody_wants_of_a_part_gets_a_word(condition, asked, says):
    said = settled(condition, PATIENT).say(asked).casefold()
    assert re.search(says, said), said
    assert "neurology" not in said and "imaging" not in said, said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_question_that_names_several_districts_denies_none(condition):
    said = settled(condition, PATIENT).say(
        "The lab test and the GP are in one district, as you wish. Then remain only: whether any"
        " certain district is wished for the others, and how quick the results must come."
    )
    assert not re.search(OBJECTS, said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_boxes_to_tick_are_checked_each(condition):
    chat = settled(condition, TOURIST)
    said = chat.say(
        "Please tick or correct:\n\n| Item | My reading | Correct? |\n|---|---|---|\n"
        "| Brussels | exactly 3 nights | [ ] yes [ ] no |\n"
        "| Hamburg | exactly 3 nights | [ ] yes [ ] no |\n"
        "| Party | 2 travellers | [ ] yes [ ] no |"
    )
    assert "2 nights" in said, said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_days_of_legs_in_one_line_are_those_of_each(condition):
    chat = settled(condition, TOURIST)
    said = chat.say(
        "one plan fits it all, 2 of you, 2 nights each, standard, same carrier, morning home. all"
        " legs rapidor, october 24 flight DP-24650 13:25-14:40 at $94.60 per person, october 26"
        " flight DP-62763 21:35-23:00 at $91.40 per person, october 28 train DP-87292 08:55-11:45"
        " at $47.30 per person\nbrussels is carrington house inn HT-75349, 4 stars, in riverfront,"
        " $192.10 per night, with duarte stonebridge market walk AT-37991 october 25 14:35-17:05,"
        " $23.30 per ticket. hamburg is halcyon hill lodge HT-23019, 3 stars, in station quarter,"
        " $99.70 per night, with abara jazz concert AT-25232, station quarter, october 27"
        " 15:20-17:50, $30.00 per ticket. exact total $1,156.80. ok to book all seven?"
    )
    assert not re.search(OBJECTS, said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_day_said_beside_two_visits_is_no_day_of_the_first(condition):
    said = settled(condition, PATIENT).say(
        "Dr. Silva is held for you on March 9 at 10:00, and the visit with Dr. Jansen is cancelled "
        "with nothing charged. Please approve the four payments now:\n"
        "- GP, BK-10000001: $48.00\n- Lab test LB-67701, BK-10000002: $101.90\n"
        "- Specialist, BK-10000003: $149.90\n- Physio PH-70808, BK-10000004: $136.20"
    )
    assert not re.search(OBJECTS, said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("Is the specialist to be at most 5 days or at most 6 days after the GP?", "days"),
        ("First, is there a most that the whole pathway may cost, all four parts together?", r"\$"),
        ("Which parts must take Medicore: all four, or only some of them?", "all four"),
        ("Must it be 5 physio sessions, or would 4 do?", "5 sessions"),
        ("So at most 5 days after the GP appointment, or at most 6?", "5 days"),
    ],
)
def test_bounds_are_asked_for_in_other_words(condition, asked, says):
    answer = settled(condition, PATIENT).say(asked).casefold()
    assert re.search(says, answer), answer


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "Noted: Hamburg hotel cheaper per night than Brussels hotel. Have I got that right?",
        "To recap: a night in Hamburg costs less than one in Brussels. Right?",
    ],
)
def test_a_wish_between_two_parts_is_told_by_their_places(condition, asked):
    said = settled(condition, THRIFTY).say(asked).casefold()
    assert not re.search(OBJECTS, said) and "cheaper" not in said, said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_hotel_and_the_attraction_of_one_city_are_no_others(condition):
    said = settled(condition, TOURIST).say(
        "Missing: district in Brussels - a set one, or any, so long as hotel and attraction match?"
    )
    assert "second" not in said.casefold(), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_language_is_free_where_a_joint_wish_is_for_another_part(condition):
    said = settled(condition, LINGUIST).say("Does the GP need to speak a particular language?")
    assert re.search("any language .*gp|matter|whichever|any", said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_people_who_type_no_question_marks_are_answered(condition):
    chat = settled(condition, PATIENT)
    said = chat.say(
        "ok so\nfor the gp appt, 30 june 2027 in the morning, yes or no pls\n"
        "specialist appt max 7 days after the gp, u sure on that\n"
        "physio is it 5 sessions for sure or not"
    ).casefold()
    assert "5 days" in said and "budget" not in said, said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_is_asked_once_more_is_not_lost_beside_what_is_new(condition):
    chat = Chat(condition, briefing=PATIENT)
    chat.say()
    chat.say("Which insurance do you have?")
    said = chat.say(
        "1. Which insurance was it again, please?\n2. For what part of the body is the physio?\n"
        "3. What is your budget?\n4. And the time of day of the lab test?"
    ).casefold()
    assert "medicore" in said, said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("asked", "says", "not_said"),
    [
        (
            "Brussels attraction: any kind / any day / district of the stay.\nAny hour for it too,"
            " or a set time?",
            "any time of day .*first attraction|whatever|don't mind|doesn't matter|easy on that",
            "leg|second",
        ),
        (
            "Brussels attraction: any day / any hour.\nMuseum, walk or concert, or any?",
            "first attraction|whatever|don't mind",
            "second|concert",
        ),
        (
            "And in Brussels? A museum would be nice, or do you rather fancy a concert or a walk?",
            "first attraction|whatever|don't mind",
            "second",
        ),
    ],
)
def test_a_question_is_of_the_part_that_was_named_before_it(condition, asked, says, not_said):
    said = settled(condition, TOURIST).say(asked).casefold()
    assert re.search(says, said) and not re.search(not_said, said), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_any_district_will_do_where_it_is_one_and_the_same(condition):
    said = settled(condition, TOURIST).say(
        "Is any district right in Hamburg, as long as in that city stay and attraction lie in the"
        " same one?"
    )
    assert not re.search(OBJECTS, said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_form_with_answers_beside_its_questions_is_a_form(condition):
    chat = Chat(condition, briefing=PATIENT)
    chat.say()
    said = chat.say(
        "# Two questions\n\n| # | Question | Your choice |\n|---|---|---|\n"
        "| 1 | Lab test type? | **1** cardiac stress test / **2** blood panel / **3** imaging |\n"
        "| 2 | Which focus has the physio? | **1** back / **2** knee / **3** shoulder |"
    ).casefold()
    assert "imaging" in said or "knee" in said, said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_not_any_kind_will_do_where_two_are_to_differ(condition):
    said = settled(condition, VARIED).say("Which kind of attraction would you like in Brussels?")
    assert "different kinds" in said.casefold() and "any kind" not in said.casefold(), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_names_that_say_a_kind_are_not_held_against_another_part(condition):
    said = settled(condition, TOURIST).say(
        "All is held, pending payment. Please approve each on your Visa ending in 4073:\n"
        "1. BK-10000001, Halcyon Park Suites: $272.00\n2. BK-10000002, Southbank Harbor Ceramics "
        "Museum: $57.20\n3. BK-10000003, Abara Jazz Concert: $79.40\nTotal: $408.60."
    )
    assert not re.search(rf"{OBJECTS}|wrong", said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "gone",
    [
        "BK-89223114 (GP), BK-30948921 (blood panel), BK-44181418 (cardiologist) and BK-43399567 "
        "(shoulder physio)",
        "Dr. Okafor (BK-38840520) and the shoulder course (BK-54770296)",
    ],
)
def test_what_bookings_were_that_go_is_no_part_of_a_plan(condition, gone):
    chat = settled(condition, PATIENT)
    said = chat.say(
        "Here is the new plan:\n1. GP: Dr. Ruiz (DR-61323), June 30, 2027 at 09:25, Harbour, "
        "Medicore. $62.20\n2. Imaging: LB-87447, Harbour, July 1 at 09:15, Medicore, ready July 2."
        " $90.20\n3. Neurologist: Dr. Walsh (DR-57762), July 3 at 16:55, Medicore. $69.90\n"
        "4. Knee physiotherapy: PH-31661, Medicore, 5 sessions at 16:20 on July 5, 6, 7, 8 and 9. "
        "$75.60\nTotal: $297.90.\n\nWith your okay, I'd book these four and cancel the bookings "
        f"held now: {gone}. Do you approve this whole plan?"
    )
    assert not re.search(OBJECTS, said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_bound_between_two_parts_is_none_of_a_third(condition):
    asked = (
        "To play it back:\n1. Specialist: neurology, at most 5 days after the GP\n2. Physiotherapy:"
        " knee, 5 sessions, after the specialist and done within 21 days of the GP\nIs that right?"
    )
    assert is_affirmed(condition, PATIENT, asked)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    ("note", "is_right"),
    [
        ("Any carrier, but the same one on all three.", True),
        ("An attraction of a different kind in each city.", True),
        ("Both attractions of the same kind.", False),
    ],
)
def test_what_is_added_to_any_and_what_is_to_differ_is_read(condition, note, is_right):
    asked = f"Let me read it back. {note} Is all of the above right?"
    assert is_affirmed(condition, VARIED, asked) is is_right


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_row_of_bare_question_marks_is_read(condition):
    assert settled(condition, PATIENT).say("| Field | Yours |\n|---|---|\n| ? | ? |")
