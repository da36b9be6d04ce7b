"""Plans and play-backs written from tasks' rows: the right ones are met, the wrong ones noticed."""

import random

import pytest

from crab_graph.domains.generate import generate_benchmark
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.play_backs import read_play_back
from crab_graph.personas.stated_plans import read_plans
from crab_graph.personas.understanding import Reading
from tests.personas import plan_writer, recap_writer
from tests.travel_words import TRAVEL

LAYOUTS = {**plan_writer.LAYOUTS, **plan_writer.HELD_OUT}
FORMS = {**recap_writer.FORMS, **recap_writer.HELD_OUT}
KNOWN = {
    "origin": "Chicago",
    "destination": "Pittsburgh",
    "departure_date": "2027-05-04",
    "nights": 3,
    "party_size": 2,
    "traveller_names": ["Ana Ruiz", "Leo Ruiz"],
    "birth_dates": ["1990-04-02", "1988-11-23"],
    "customer_id": "CU-20417",
    "email": "ana.ruiz@example.com",
    "outbound_time_of_day": "morning",
    "return_time_of_day": "night",
    "seat_position": "aisle",
    "hotel_stars": 4,
    "bed_type": "queen",
    "attraction_category": "museum",
    "attraction_date": "2027-05-05",
    "budget": "1500.00",
    "same_carrier": True,
    "payment_card": {"card_id": "CD-2", "brand": "Visa", "last4": "4242"},
}
BRIEFING = TRAVEL.briefing(
    TRAVEL.slots,
    [Fact(key, value, FactLevel.DETAIL) for key, value in KNOWN.items()],
    "S1-001",
    "2027-01-10",
)


@pytest.fixture(scope="module", params=["travel", "clinic"])
def tasks(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("checking")
    return list(generate_benchmark(folder, 4, domain=request.param, seed=3, distractors=300))


@pytest.mark.slow
def test_plans_in_every_layout_are_objected_to_where_a_detail_is_wrong_and_only_there(tasks):
    for number, (name, write) in enumerate(LAYOUTS.items()):
        task, rng = tasks[number % len(tasks)], random.Random(name)
        briefing = task.briefing
        right = write(plan_writer.plan_of(task), plan_writer.Style.drawn(rng))
        assert contradictions(read_plans(right, briefing)[-1], briefing) == [], right
        for plan in plan_writer.wrong_plans(task, rng):
            texts = write(plan, plan_writer.Style.drawn(rng))
            found = contradictions(read_plans(texts, briefing)[-1], briefing)
            assert plan.wrong in found, (name, plan.wrong, texts)


def test_play_backs_in_every_form_are_judged_as_they_were_written(tasks):
    for number, task in enumerate(tasks):
        rng, briefing = random.Random(number), task.briefing
        written = [
            *recap_writer.recaps(task, rng, FORMS),
            *recap_writer.absent_recaps(task, rng, FORMS),
        ]
        for recap in written:
            reading = Reading(recap.text, briefing.lexicon, briefing.slots)
            played = read_play_back(reading, briefing)
            assert set(played.wrong) == recap.wrong and played.is_asked, recap
            assert set(played.unknown) == recap.absent and set(played.right) >= recap.right, recap


@pytest.mark.parametrize(
    ("text", "right", "wrong", "unknown"),
    [
        ("So you fly out on Tuesday, right?", {"departure_date"}, set(), set()),
        ("So you leave on Wednesday, correct?", set(), {"departure_date"}, set()),
        ("You come back on the 7th, right?", {"nights"}, set(), set()),
        ("So return on Friday May 8, right?", set(), {"nights"}, set()),
        ("4-8 May, two people, right?", {"departure_date", "party_size"}, {"nights"}, set()),
        ("The outbound flight leaves at 7 pm, right?", set(), {"outbound_time_of_day"}, set()),
        ("No preference for the seat, right?", {"seat_type"}, {"seat_position"}, set()),
        ("You don't mind which airline, correct?", set(), {"same_carrier"}, set()),
        ("So not an aisle seat, right?", set(), {"seat_position"}, set()),
        ("So not a window seat, right?", set(), set(), set()),
        ("You fly from Pittsburgh to Chicago, right?", set(), {"origin", "destination"}, set()),
        ("Just you travelling, correct?", set(), {"party_size"}, set()),
        ("I'll charge the Mastercard ending in 4242, right?", set(), {"payment_card"}, set()),
        ("So you are Ana Ruis, right?", set(), {"traveller_names"}, set()),
        ("Is CU-20418 your customer id?", set(), {"customer_id"}, set()),
        ("The bed should be king, shouldn't it?", set(), {"bed_type"}, set()),
        ("So a deluxe room, right?", set(), set(), {"room_type"}),
        ("You have no budget limit, right?", set(), {"budget"}, set()),
        ("Noted: window seat. What about the hotel?", set(), {"seat_position"}, set()),
        ("Would you like a king bed or twin beds?", set(), set(), set()),
        ("The 3-star hotels are sold out. What about the seat?", set(), set(), set()),
    ],
)
def test_what_is_played_back_in_passing_is_compared_too(text, right, wrong, unknown):
    played = read_play_back(Reading(text, BRIEFING.lexicon, BRIEFING.slots), BRIEFING)
    assert (set(played.right), set(played.wrong), set(played.unknown)) == (right, wrong, unknown)
