"""What of several options a user takes, and how it says which."""

import pytest

from crab_graph.personas.options import choose_option
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.stated_plans import read_plan
from crab_graph.personas.understanding import Reading
from tests.personas.test_rules_user import Chat
from tests.personas.test_stated_plans import BRIEFING

FITS = "FL-1002 at 07:40, economy aisle, $300.00 for 2"
DEARER = "FL-1003 at 08:10, economy aisle, $340.00 for 2"
LATE = "FL-1001 at 19:10, economy aisle, $200.00 for 2"
WINDOW = "FL-1004 at 09:00, economy window, $210.00 for 2"


def chosen(text):
    plan = read_plan(Reading(text, BRIEFING.lexicon, BRIEFING.slots), BRIEFING.slots)
    choice = choose_option(plan, BRIEFING)
    return None if choice is None else choice.as_words()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"Outbound flights:\n1. {LATE}\n2. {FITS}\nWhich one?", "number 2 (FL-1002)"),
        (f"Outbound flights:\n- {LATE}\n- {FITS}\nWhich do you prefer?", "FL-1002"),
        (f"Outbound:\nA) {FITS}\nB) {LATE}\nA or B?", "option A (FL-1002)"),
        (f"For the outbound flight: {LATE}, or {FITS}. Which one?", "FL-1002"),
        (f"Outbound flights:\n1. {DEARER}\n2. {FITS}\nWhich one?", "number 2 (FL-1002)"),
        (
            "Outbound flights:\n1. FL-1001 at 07:10, aisle\n2. FL-1002 at 09:00, aisle\nWhich?",
            "number 1 (FL-1001)",
        ),
        (
            f"### Option A\n- Outbound: {LATE}\n- Hotel: Ivory Inn (HT-3316), 4 stars\n\n"
            f"### Option B\n- Outbound: {FITS}\n- Hotel: Ivory Inn (HT-3316), 4 stars\n\nWhich?",
            "option B (FL-1002, HT-3316)",
        ),
        (
            f"Here are two. Option A: outbound {LATE}, and the Ivory Inn (HT-3316), 4 stars. "
            f"Option B: outbound {FITS}, and the Ivory Court (HT-3317), 4 stars. A or B?",
            "option B (FL-1002, HT-3317)",
        ),
        (
            f"Option 1, leaving on 4 May\nFlights: outbound {FITS}.\nHotel: Ivory Inn (HT-3316), "
            "4 stars, $900.00.\nTotal: $1,200.00.\n\nOption 2, leaving on 5 May\nFlights: outbound "
            f"{DEARER}.\nHotel: Ivory Court (HT-3317), 4 stars, $300.00.\nTotal: $640.00.\nWhich?",
            "number 2 (FL-1003, HT-3317)",
        ),
        (
            "| Option | Outbound | Hotel |\n|---|---|---|\n| 1 | FL-1001, 19:10 | HT-3316 |\n"
            "| 2 | FL-1002, 07:40 | HT-3317 |\n\nWhich option do you want?",
            "number 2 (FL-1002, HT-3317)",
        ),
        (
            "Two difficulties:\n\n(1) Hotel: Ivory Court (HT-3317) has no room.\n(2) Outbound: "
            f"{LATE}, which ends too late.\n\nSo these belong together:\n(a) Outbound {FITS} with "
            f"the Ivory Inn (HT-3316), 4 stars\n(b) Outbound {DEARER} with the Ivory Court "
            "(HT-3317), 4 stars\n\n"
            "Which of the two, (a) or (b)?",
            "option A (HT-3316, FL-1002)",
        ),
    ],
)
def test_wishes_decide_else_the_cheaper_else_the_first(text, words):
    assert chosen(text) == words


def test_where_none_fits_nothing_is_taken_and_the_nearest_one_s_detail_is_wrong():
    text = f"Outbound flights:\n1. {LATE.replace('aisle', 'window')}\n2. {WINDOW}\nWhich one?"
    assert chosen(text) is None
    plan = read_plan(Reading(text, BRIEFING.lexicon, BRIEFING.slots), BRIEFING.slots)
    assert contradictions(plan, BRIEFING) == ["seat_position"]


def test_one_plan_leaves_nothing_to_choose():
    assert chosen(f"1. Outbound: {FITS}\n2. Hotel: Ivory Inn (HT-3316), 4 stars\nGo?") is None


def test_a_user_names_what_it_takes():
    chat = Chat("generic")
    chat.say()
    said = chat.say(f"Outbound flights:\n1. {LATE}\n2. {FITS}\nWhich one would you like?")
    assert "number 2 (FL-1002)" in said and "FL-1001" not in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((DEARER, FITS), "the cheaper one, FL-1002"),
        ((DEARER, FITS, WINDOW.replace("$210", "$410")), "the cheapest one, FL-1002"),
        ((DEARER, FITS, LATE), "number 2 (FL-1002)"),
        ((LATE.replace("$200", "$500"), FITS), "number 2 (FL-1002)"),
        ((DEARER, FITS.replace("$300", "$340")), "number 1 (FL-1003)"),
    ],
)
def test_where_the_price_decides_it_can_name_the_option(options, words):
    listed = "\n".join(f"{number}. {one}" for number, one in enumerate(options, 1))
    text = f"Outbound flights:\n{listed}\nWhich one?"
    plan = read_plan(Reading(text, BRIEFING.lexicon, BRIEFING.slots), BRIEFING.slots)
    choice = choose_option(plan, BRIEFING)
    assert choice is not None and choice.as_words(by_price=True) == words


def test_only_an_indirect_user_names_an_option_by_its_price():
    text = f"Outbound flights:\n1. {DEARER}\n2. {FITS}\nWhich one would you like?"
    for condition, words in (("d1", "the cheaper one, FL-1002"), ("generic", "number 2 (FL-1002)")):
        chat = Chat(condition)
        chat.say()
        assert words.casefold() in chat.say(text).casefold()
