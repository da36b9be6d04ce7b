"""What a user denies of what is played back, and what it leaves: the right value stands there."""

import pytest

from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.play_backs import read_play_back
from crab_graph.personas.stated_plans import read_plans
from crab_graph.personas.understanding import Reading
from tests.travel_words import TRAVEL

KNOWN = {
    "origin": "Memphis",
    "destination": "Seattle",
    "departure_date": "2027-08-04",
    "nights": 2,
    "party_size": 3,
    "traveller_names": ["Marcus Brennan", "Tomas Olsen", "Sofia Moreau"],
    "birth_dates": ["1992-06-10", "2000-09-15", "1964-12-31"],
    "outbound_time_of_day": "morning",
    "return_time_of_day": "night",
    "seat_type": "economy",
    "seat_position": "window",
    "attraction_category": "museum",
    "attraction_time_of_day": "evening",
    "attraction_date": "2027-08-05",
    "budget": "1410.00",
    "payment_card": {"card_id": "CD-9", "brand": "American Express", "last4": "4584"},
}


def briefing_of(**other):
    facts = [
        Fact(key, value, FactLevel.DETAIL) for key, value in {**KNOWN, **other}.items() if value
    ]
    return TRAVEL.briefing(TRAVEL.slots, facts, "S1-001", "2027-01-10")


def played(text, **other):
    briefing = briefing_of(**other)
    return read_play_back(Reading(text, briefing.lexicon, briefing.slots), briefing)


@pytest.mark.parametrize(
    "text",
    [
        "To confirm: Memphis to Seattle on 4 August 2027, return 6 August 2027 (2 nights).",
        "So far: Memphis → Seattle and back, out on 4 August, home 6 August. Correct?",
        "Noted: Memphis-Seattle, return Seattle-Memphis on 6 August.",
        "Flights – Memphis to Seattle on 4 August, returning on 6 August 2027 (two nights), right?",
        "My notes: return flights: Memphis to Seattle on 4 August 2027, at night back. Correct?",
        "Here is what I have: the museum on the evening of 5 aug. Is the 4th set in stone?",
        "I have Marcus Brennan (June 10, 1992), Tomas Olsen (Sept 15, 2000), Sofia Moreau (Dec 31, "
        "1964), leaving aug 4. Right?",
        "To confirm: Marcus Brennan (10 June 1992), Tomas Olsen (15 Sept...",
        "Earlier you gave me two birthdays (aug 25, 1969 and mar 10, 1967) and now three. I'll use "
        "marcus 1992-06-10, tomas 2000-09-15 and sofia 1964-12-31, right?",
        "Noted. The American Express ending in 4584 is not registered with us; your profile only "
        "lists a Mastercard ending in 7401. Is that right?",
        "Got it. The only card I can see is an Amex ending 2111, not the 4584 one. Correct?",
        "Noted: economy. For the attraction, may I offer you (i) a museum, (ii) a tour or (iii) a "
        "show? Is that right so far?",
        "Right. Attraction: museum, tour or show, when?",
        'You said "I think": is night or midday firm for the return flight?',
        "Just to confirm, is economy settled, or would premium economy do as well?",
        "Is it 2 or 3 nights? Please confirm.",
        "Noted: leaving on 4 August. **Nights:** 3, 2 – or is either one fine?",
        "I have corrected the stay to two nights and noted a window seat and no fixed times. OK?",
        "Please confirm: Memphis to Seattle, out 4 August 2027, back 6 August 2027 (2 nights)."
        "\nAttraction: museum, 5 August 2027, evening.",
    ],
)
def test_nothing_is_denied_where_the_right_value_stands_in_the_message(text):
    assert played(text).wrong == ()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("So Seattle to Memphis on 4 August, right?", {"origin", "destination"}),
        ("So from Memphis to Portland on 4 August, right?", {"destination"}),
        ("Noted: returning on 7 August. Correct?", {"nights"}),
        (
            "Number of nights: you said 3 with some doubt. Please confirm whether it is 3.",
            {"nights"},
        ),
        ("A tour, then, on any day. Correct?", {"attraction_category", "attraction_date"}),
        ("So I charge the Amex ending in 1111, right?", {"payment_card"}),
        ("So I charge the Visa ending in 4584, right?", {"payment_card"}),
        (
            "The travellers are Marcus Brennan, Tomas Olsen and Sofia Morel, right?",
            {"traveller_names"},
        ),
        ("Is premium economy settled?", {"seat_type"}),
    ],
)
def test_what_is_plainly_stated_otherwise_is_denied(text, wrong):
    assert set(played(text).wrong) == wrong


def test_a_value_that_is_told_two_ways_is_neither_affirmed_nor_denied():
    found = played("Aisle seat out and window seats back, right?")
    assert (found.right, found.wrong, found.mixed) == ((), (), ("seat_position",))


@pytest.mark.parametrize(
    "text",
    [
        "Noted, and any seat position goes. What about the class and the hotel?",
        "What's left: any airline stuff, hotel wishes (stars, beds), a kind of attraction?",
        "Return departing no earlier than 17:00, noted. Please go on.",
    ],
)
def test_words_for_a_question_or_a_bound_deny_nothing(text):
    assert played(text, seat_position=None, same_carrier=True).wrong == ()


def test_words_that_can_be_meant_of_what_is_free_are():
    text = "So no limit on budget, any seat class, any outbound time. Correct?"
    free = {key: None for key in ("seat_type", "outbound_time_of_day", "budget")}
    assert played(text, **free).wrong == ()


@pytest.mark.parametrize(
    "text",
    [
        "So you leave any day apr 5–9, with Marcus Brennan (nov 25, 1960), right?",
        "Your window runs from Monday, 5 April to the 9th, right?",
        "The first Monday of April is april 5 and the friday after the 9th. So from the 5th to "
        "the 9th, right?",
    ],
)
def test_days_within_a_window_are_not_denied(text):
    assert "departure_date" not in played(text, departure_date=["2027-04-05", "2027-04-09"]).wrong


HELD = "Outbound FL-1, Bluefinch, 4 August. Return FL-2, Bluefinch, 6 August. "


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Hotel HT-11 (Station Quarter), museum AT-22 (Theater Row). Shall I book?", True),
        ("Hotel: Alder Inn (HT-11), in Hilltop. Museum: AT-22, over in Harborside. Book it?", True),
        ("The hotel HT-11 and the museum AT-22 lie in different districts. Shall I book?", True),
        ("The museum AT-22 isn't in the same district as the hotel HT-11. May I book?", True),
        ("Hotel HT-11 and museum AT-22, both in the Station Quarter. Shall I book?", False),
        ("Hotel HT-11 and museum AT-22 in one district. No different seats are left. Book?", False),
    ],
)
def test_a_plan_that_keeps_apart_what_should_be_together_is_seen(text, wrong):
    briefing = briefing_of(same_district=True)
    found = contradictions(read_plans([HELD + text], briefing)[-1], briefing)
    assert ("same_district" in found) == wrong


def test_what_an_agent_takes_back_is_no_part_of_its_plan():
    briefing = briefing_of(bed_type="twin")
    text = (
        "I must beg your pardon: I proposed a queen bed, whereas you had asked for a twin. "
        "Hotel: Juniper Suites (HT-7), a suite with a twin bed. May I book this plan?"
    )
    assert contradictions(read_plans([text], briefing)[-1], briefing) == []
    wrong = "I propose the hotel Juniper Suites (HT-7) with a queen bed. May I book this plan?"
    assert contradictions(read_plans([wrong], briefing)[-1], briefing) == ["bed_type"]


@pytest.mark.parametrize(
    ("text", "right", "wrong", "mixed"),
    [
        ("Marcus (b. 10 Jun 1992), Tomas (b. 15 Sep 2001): correct?", None, {"birth_dates"}, set()),
        ("Is morning a must for the attraction?", set(), set(), {"attraction_time_of_day"}),
        ("Do the seats have to be by the aisle?", set(), set(), {"seat_position"}),
        ("Does the museum have to be on 5 August?", {"attraction_date"}, set(), set()),
        ("4 Aug to 6 Aug, 3 people, economy. All good?", None, set(), set()),
        ("4 Aug to 7 Aug, 3 people, economy. All good?", None, {"nights"}, set()),
        ("You fly home on 6 August. Is that all as you want it?", {"nights"}, set(), set()),
        ("The total is $960. OK?", set(), set(), set()),
        ("A museum it is. Would any day be agreeable?", None, set(), {"attraction_date"}),
        ("Got it, economy. Any seat position you'd like? Any day for it?", None, set(), set()),
    ],
)
def test_a_question_whether_something_must_be_so_is_no_claim(text, right, wrong, mixed):
    found = played(text)
    assert (set(found.wrong), set(found.mixed)) == (wrong, mixed)
    assert right is None or (right <= {*found.right} and bool(right) == bool(found.right))


HOUSEHOLD = """Thank you: an evening departure home on 6 August, both flights with one airline.

Outbound: FL-1, Bluefinch, Wednesday, August 4, 08:45 to 10:35
Homeward: FL-2, Bluefinch, Friday, August 6, 21:00 to 22:50
Hotel: Alder Inn (HT-11), $261.20 per night ($522.40 for two nights)
Museum: AT-22, August 5, 17:30 to 19:30; or AT-23, August 4, 18:00 to 19:00

Which museum would you like?"""
RECAP = """In summary: Memphis to Seattle on August 4, returning at night on August 6; economy.

- Outbound FL-1, August 4, 08:45 to 10:35, $70.00 for two
- Return FL-2, August {back}, 21:00 to 22:50, $90.00 for two
Hotel: Alder Inn (HT-11), $441.20 for two nights

Shall I book?"""


@pytest.mark.parametrize("text", [HOUSEHOLD, RECAP.format(back=6)])
def test_days_of_a_recap_are_not_held_against_the_plan_below_it(text):
    briefing = briefing_of(outbound_time_of_day=None)
    assert contradictions(read_plans([text], briefing)[-1], briefing) == []


def test_a_day_of_the_plan_is_held_against_the_recap_above_it():
    briefing = briefing_of(outbound_time_of_day=None)
    assert contradictions(read_plans([RECAP.format(back=7)], briefing)[-1], briefing) == ["nights"]


@pytest.mark.parametrize(
    "text",
    ["Aisle or window, one airline or not? Right so far: 2 nights?", "One airline or different?"],
)
def test_a_wish_with_its_opposite_is_a_question(text):
    assert "same_carrier" not in played(text, same_carrier=True).right


@pytest.mark.parametrize(
    ("text", "is_alone"),
    [
        ("Just one question: is it two nights? Right?", False),
        ("Could you add the card yourself? Only you can do that. Two nights, right?", False),
        ("The hotel alone, for two nights, is not enough, right?", False),
        ("Please add it on your own. Two nights, right?", False),
        ("So just you, for two nights, right?", True),
        ("You travel alone, two nights, right?", True),
        ("Only you, and two nights, right?", True),
        ("Just one, two nights, right?", True),
        ("So you're going on your own for two nights, right?", True),
    ],
)
def test_who_travels_alone_is_not_who_has_to_do_something_alone(text, is_alone):
    assert ("party_size" in played(text).wrong) is is_alone


@pytest.mark.parametrize(
    "text, is_right",
    [
        ("Recap: seats on both flights must be neither aisle nor middle. Right?", True),
        ("Noted: seats neither aisle nor middle (both ways). Anything else?", True),
        ("So anything but aisle or middle seats, correct?", True),
        ("So no aisle and no middle seats, correct?", True),
        ("Recap: seats neither window nor middle. Right?", False),
        ("So anything but a window seat, correct?", False),
    ],
)
def test_what_is_ruled_out_tells_what_is_left(text, is_right):
    said = played(text)
    assert ("seat_position" in said.right) is is_right
    assert ("seat_position" in said.wrong) is not is_right


@pytest.mark.parametrize(
    "text",
    [
        "Who was born when - Marcus Brennan 1992-06-10, Tomas Olsen 2000-09-15, Sofia Moreau "
        "1964-12-31? And the hotel?",
        "And who is born when: Marcus on June 10, 1992, Tomas on Sept 15, 2000 and Sofia on "
        "Dec 31, 1964?",
    ],
)
def test_who_was_born_when_with_all_dates_is_a_play_back(text):
    said = played(text)
    assert "birth_dates" in said.right and said.is_asked


def test_that_any_time_will_do_is_denied_by_who_wants_one():
    said = played("So the flights at any time. Anything else?")
    assert {"outbound_time_of_day", "return_time_of_day"} <= {*said.wrong}
