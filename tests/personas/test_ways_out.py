"""Who is told that nothing meets all wishes gives none of them up, and chooses by words."""

import re

import pytest

from tests.personas.clinic_briefing import PATIENT
from tests.personas.test_parts_of_jobs import CONDITIONS, settled

STANDS = r"look (?:once more|again)|asked for|what i said|wishes stand|give any|insist|a must"

NONE = "I found no plan that meets all of this within your limit. "
WAYS = [
    NONE
    + "1. Is $365.00 a firm limit, or would $371.00 be all right?\n2. If it is firm, which wish "
    "could bend a little, such as the district of the test?",
    NONE + "The closest, $6.00 above your budget:\n- GP: DR-10001, 2027-06-30 at 09:00, $61.90\n"
    "- Lab test: LB-10002, imaging, 2027-06-30 at 10:30, $69.40\n- Specialist: DR-10003, "
    "neurology, 2027-07-02 at 17:25, $140.40\n- Physio: PH-10004, knee, 5 sessions at 18:10, "
    "$99.30\nTotal: $371.00\n\nWould you raise the budget to $371.00 and approve this plan? If not,"
    " which wish may change?",
    NONE + "Easy yes or no on each:\n1. GP and test in two districts: all right?\n2. 4 sessions in "
    "place of 5: all right?\nIf it is no to both, I cannot complete it.",
    "Nothing that is left meets all your wishes. May I book the plan for $297.40? The one "
    "difference: the test LB-10002 is at 17:30, so not in the morning.\na. Yes, I accept that test."
    "\nb. No. Then I book nothing.",
]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("ways", WAYS)
def test_none_of_the_wishes_goes(condition, ways):
    said = settled(condition, PATIENT).say(ways).casefold()
    assert re.search(STANDS, said) or "none of these" in said, said
    assert not re.search(r"before you book|go ahead|misspoke|up to you", said), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_budget_is_said_where_it_is_to_be_raised(condition):
    assert "$365" in settled(condition, PATIENT).say(WAYS[1])


@pytest.mark.parametrize("condition", CONDITIONS)
def test_of_lettered_ways_the_one_is_taken_that_names_what_is_wished(condition):
    said = settled(condition, PATIENT).say(
        "There are two plans now. What shall I do?\n"
        "A) Cancel the old bookings and book the new plan for the knee, total $359.90\n"
        "B) Keep the old plan for the back, total $360.00\nC) Something else: tell me what"
    )
    assert re.search(r"option a\b", said.casefold()), said


@pytest.mark.parametrize("condition", CONDITIONS)
def test_an_offer_of_a_human_is_taken_once_it_was_asked_to_look_again(condition):
    chat = settled(condition, PATIENT)
    chat.say(WAYS[1])
    said = chat.say(
        "I looked again, and no plan fits all of it within $365.00. Shall I pass you to a human "
        "colleague, or would you change something after all?"
    )
    assert "###TRANSFER###" in said, said
