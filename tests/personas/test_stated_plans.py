"""What a stated plan contradicts, and what it does not."""

import pytest

from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.options import open_choices
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.stated_plans import read_plan
from crab_graph.personas.understanding import Reading

WANTED = {
    "departure_date": ["2027-05-03", "2027-05-07"],
    "nights": 3,
    "party_size": 2,
    "outbound_time_of_day": "morning",
    "return_time_of_day": "night",
    "seat_type": "economy",
    "seat_position": "aisle",
    "hotel_stars": 4,
    "room_type": "deluxe",
    "bed_type": "queen",
    "attraction_category": "museum",
    "attraction_time_of_day": "morning",
    "attraction_date": "2027-05-05",
    "same_carrier": True,
    "same_district": True,
    "budget": "1500.00",
}
BRIEFING = TRAVEL.briefing(
    TRAVEL.slots,
    [Fact(key, value, FactLevel.DETAIL) for key, value in WANTED.items()],
    "S1-001",
    "2027-01-10",
)
LINES = {
    "outbound": "- Outbound: FL-48213, Northbeam, 2027-05-04 07:35, economy aisle, $150.00 per"
    " passenger, $300.00 for 2 passengers.",
    "return": "- Return: FL-20955, Northbeam, 2027-05-07 19:40, economy aisle, $140.00 per"
    " passenger, $280.00 for 2 passengers.",
    "hotel": "- Hotel: Juniper Court Hotel (HT-3316), 4 stars, deluxe room RM-66201, queen bed,"
    " Old Town, $120.00 per night, $360.00 for 3 nights.",
    "attraction": "- Attraction: Riverside Glass Museum (AT-50811), Old Town, 2027-05-05 09:00,"
    " $35.00 per ticket, $70.00 for 2 tickets.",
    "total": "Trip total: $1,010.00. Shall I book all four?",
}


def objected(text):
    plan = read_plan(Reading(text, BRIEFING.lexicon, BRIEFING.slots), BRIEFING.slots)
    return contradictions(plan, BRIEFING)


def test_a_plan_that_fits_is_not_contradicted():
    assert objected("\n".join(LINES.values())) == []


@pytest.mark.parametrize(
    ("line", "was", "becomes", "key"),
    [
        ("outbound", "2027-05-04", "2027-05-09", "departure_date"),
        ("outbound", "2027-05-04", "May 9", "departure_date"),
        ("outbound", "07:35", "7:35 PM", "outbound_time_of_day"),
        ("outbound", "07:35", "in the night", "outbound_time_of_day"),
        ("return", "19:40", "08:10 - 10:30", "return_time_of_day"),
        ("outbound", "economy", "premium economy", "seat_type"),
        ("return", "economy", "business", "seat_type"),
        ("return", "aisle", "window", "seat_position"),
        ("return", "Northbeam", "Bluefinch", "same_carrier"),
        ("outbound", "for 2 passengers", "for 3 passengers", "party_size"),
        ("hotel", "4 stars", "3 stars", "hotel_stars"),
        ("hotel", "4 stars", "three-star hotel", "hotel_stars"),
        ("hotel", "deluxe", "standard", "room_type"),
        ("hotel", "queen", "king", "bed_type"),
        ("hotel", "3 nights", "4 nights", "nights"),
        ("attraction", "Glass Museum", "Food Tour", "attraction_category"),
        ("attraction", "09:00", "18:00", "attraction_time_of_day"),
        ("attraction", "2027-05-05", "6 May", "attraction_date"),
        ("attraction", "Old Town", "Hilltop", "same_district"),
        ("total", "$1,010.00", "$1,510.00", "budget"),
    ],
)
def test_one_wrong_detail_is_the_one_that_is_named(line, was, becomes, key):
    assert was in LINES[line]
    lines = LINES | {line: LINES[line].replace(was, becomes)}
    assert objected("\n".join(lines.values())) == [key]


def test_more_stars_than_asked_for_contradict_nothing():
    assert objected(LINES["hotel"].replace("4 stars", "5 stars")) == []


def test_options_of_which_one_fits_contradict_nothing():
    options = "For the outbound flight:\n- FL-1001 at 07:10, aisle\n- FL-1002 at 19:00, window"
    assert objected(options) == []


def test_options_of_which_none_fits_are_contradicted():
    options = "For the outbound flight:\n- FL-1001 at 18:10\n- FL-1002 at 19:00"
    assert objected(options) == ["outbound_time_of_day"]


def test_what_is_denied_or_not_an_item_contradicts_nothing():
    for text in (
        "The window seats on FL-48213 are sold out.",
        "I will show you business flights next.",
        "Is a standard room with a king bed at the hotel fine?",
        "Standard rates apply to the hotel.",
        "There are no 4 night stays.",
    ):
        assert objected(text) == []


def test_a_heading_gives_its_lines_their_slot():
    text = "**Outbound flight**\n- FL-48213\n- Departs: May 4, 7:35 AM\n- Seat: economy, window"
    assert objected(text) == ["seat_position"]


def test_a_table_row_is_about_its_own_slot():
    text = "| Outbound | FL-1 | aisle |\n| Return | FL-2 | middle |"
    assert objected(text) == ["seat_position"]


def test_options_that_differ_ask_for_the_wish_they_differ_in():
    text = "Outbound flights:\n- FL-1001 at 07:10, economy\n- FL-1002 at 19:00, economy\nWhich one?"
    plan = read_plan(Reading(text, BRIEFING.lexicon, BRIEFING.slots), BRIEFING.slots)
    assert open_choices(plan, BRIEFING) == ["outbound_time_of_day"]


NO_SLOT_WORDS = (
    "We have put the departure forward by a day, to 4 May, and the return to 7 May. Much less is "
    "to be had with a return after 17:00, and the room and the museum had to be changed.\n\n"
    "1. Northbeam FL-48213, 4th May, 07:35, economy, aisle, $150.00 each.\n"
    "2. Northbeam FL-20955, 7th May, 19:40, economy, aisle, $140.00 each.\n"
    "3. Juniper Court (HT-3316), one deluxe room, queen, 4 stars, $120.00 a night.\n"
    "4. Glass Museum (AT-50811), 5th May, 9:00, $35.00 a ticket.\n\n"
    "The total is $1,010.00. Shall we book it so?"
)
DAYS_IN_ROWS = (
    "| Part | Choice | Price |\n|---|---|---|\n"
    "| Tue 4 May | **FL-48213** Northbeam, 07:35-09:30 | $300.00 |\n"
    "| Fri 7 May | **FL-20955** Northbeam, 19:40-21:30 | $280.00 |\n"
    "| Hotel | Juniper Court (HT-3316), deluxe, queen | $360.00 |\n"
    "| Museum, Wed 5 May, 9:00 | Glass Museum (AT-50811) | $70.00 |\n\nShall I book it?"
)


@pytest.mark.parametrize("plan", [NO_SLOT_WORDS, DAYS_IN_ROWS])
def test_days_without_the_word_of_their_slot_are_read_in_the_order_of_the_trip(plan):
    assert objected(plan) == []
    for right, wrong in (("4th May", "2nd May"), ("Tue 4 May", "Sun 2 May")):
        if right in plan:
            assert "departure_date" in objected(plan.replace(right, wrong))


def test_the_days_of_the_trip_are_not_those_of_what_is_named_behind_them():
    said = LINES["attraction"].replace("- Attraction: ", "").replace("2027-05-05", "may 5")
    plan = (
        f"so may 4 to may 7, still 3 nights, and the museum stays on the 5th. {said} Shall I book?"
    )
    assert objected(plan) == []
    assert objected(plan.replace("may 5", "may 6")) == ["attraction_date"]


def test_what_leads_up_to_a_plan_in_prose_gives_no_item_its_slot_nor_its_values():
    plan = (
        "Economy, then, with the journey home beginning after five, and I have found what honours "
        "every wish. On the 4th of May Northbeam takes you there on FL-48213, at 07:35, on economy "
        "aisle seats at $150.00 per person, and on the 7th of May Northbeam brings you home on "
        "FL-20955, at 19:40, economy aisle too. On that day the only others left lie in the "
        "Station Quarter, where no hotel is free. You stay at the Juniper Court Hotel (HT-3316) in "
        "Old Town, a deluxe room with a queen bed, 4 stars, and on the 5th at 09:00 you see the "
        "Riverside Glass Museum (AT-50811), $35.00 per ticket. Have I your approval?"
    )
    assert objected(plan) == []
    assert "departure_date" in objected(plan.replace("the 4th of May", "the 2nd of May"))
    assert objected(
        "For the return I suggest this. FL-20955 leaves on 2027-05-07 at 08:10. Ok?"
    ) == ["return_time_of_day"]


def test_what_a_plan_is_neither_nor_is_not_what_it_is():
    recap = "- Room neither standard nor suite\n\n"
    assert objected(recap + "\n".join(LINES.values())) == []


@pytest.mark.parametrize(
    ("out", "back", "is_same"),
    [
        ("Skylark Air", "skylark", True),
        ("skylark", "Skylark", True),
        ("Skylark", "Bluefinch", False),
        ("Redwood", "Kestrel Lines", False),
    ],
)
def test_an_airline_is_known_by_the_beginning_of_its_name(out, back, is_same):
    lines = {**LINES}
    lines["outbound"] = lines["outbound"].replace("Northbeam", out)
    lines["return"] = lines["return"].replace("Northbeam", back)
    assert objected("\n".join(lines.values())) == ([] if is_same else ["same_carrier"])


def test_what_another_choice_would_come_to_is_not_the_total():
    dearer = "Four stars cannot be had: the cheapest such combination comes to $1,512.80 in total."
    assert objected("\n".join([*LINES.values(), dearer])) == []
    over = LINES["total"].replace("$1,010.00", "$1,512.80")
    assert "budget" in objected("\n".join([*list(LINES.values())[:4], over]))


def test_what_a_plan_is_dearer_than_is_not_the_plan():
    more = "\nThat is $150.00 more than the business one. Shall I book it?"
    assert objected("\n".join(LINES.values()) + more) == []
    wrong = {**LINES, "outbound": LINES["outbound"].replace("economy", "business")}
    assert objected("\n".join(wrong.values()) + more) == ["seat_type"]


@pytest.mark.parametrize(
    "behind",
    [
        "The trip with a suite that I named before costs $1,133.80, which is $120.00 more.",
        "What I described earlier had a suite and a king bed, and cost $80.00 less.",
        "So that you can decide: the trip with a twin bed I told you about first was $20.00 less.",
    ],
)
def test_what_was_named_before_is_not_the_plan(behind):
    assert objected("\n".join((*LINES.values(), behind, "Do you approve?"))) == []
