"""What the tables of travel and clinic tasks show is as a traveller, or a patient, knows it."""

from collections import Counter, defaultdict
from functools import cache
from itertools import product

import pytest

from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.domains.travel.domain import CITIES, FLIGHT_TIME, TRAVEL
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.population import populate

ORDER = {"economy": 0, "premium economy": 1, "business": 2}
HOURS = {
    **{"morning": (360, 720), "midday": (720, 1020), "night": (1020, 1440)},
    **{"afternoon": (720, 1020), "evening": (1020, 1440), "all-day": (0, 1)},
}
SETTINGS = [*product(("fixed", "flexible"), (1, 4))]


@cache
def tables(dates, party):
    """Return the rows of a travel task."""
    for seed in range(100):
        try:
            task = TRAVEL.draft(7_000 + seed, {"date_mode": dates, "party": party})
            made = populate(
                task.folded, seed_count=2, closure=range(1, 17), distractors=1200, seed=seed
            )
        except UnsatisfiableTask:
            continue
        return TRAVEL.materialize(made, seed).tables
    raise AssertionError("nothing could be drawn")


def parts_of(rows, key):
    """Return rows by what they are parts of."""
    found = defaultdict(list)
    for row in rows:
        found[row[key]].append(row)
    return found


def test_flights_last_as_their_distance_lets_them_and_about_as_long_both_ways():
    for one, other in product(CITIES, CITIES):
        there, back = FLIGHT_TIME.amounts[one, other], FLIGHT_TIME.amounts[other, one]
        assert max(there, back) <= 1.2 * min(there, back)
        assert one == other or 45 <= there <= 390


@pytest.mark.parametrize(("dates", "party"), SETTINGS)
def test_flights_leave_in_their_part_of_the_day_at_times_of_their_own_and_land_on_it(dates, party):
    flights = tables(dates, party)["flights"]
    for one in flights:
        first, end = HOURS[one["time_of_day"]]
        assert first <= one["departure_minute"] < end
        route = one["origin"], one["destination"]
        assert one["arrival_minute"] == one["departure_minute"] + FLIGHT_TIME.amounts[route] < 1440
    names = "origin destination departure_date carrier departure_minute".split()
    assert max(Counter(tuple(one[name] for name in names) for one in flights).values()) == 1


@pytest.mark.parametrize(("dates", "party"), SETTINGS)
def test_fares_of_a_flight_are_a_dozen_at_most_and_priced_by_what_they_are(dates, party):
    flights = parts_of(tables(dates, party)["fares"], "flight_id")
    sizes = [len(fares) for fares in flights.values()]
    assert max(sizes) <= 11
    assert sum(sizes) >= 3 * len(sizes)
    assert sizes.count(1) <= len(sizes) / 5
    names = ("seat_type", "seat_position", "fare_name")
    for fares in flights.values():
        priced = {tuple(fare[name] for name in names): fare["price_cents"] for fare in fares}
        assert len(priced) == len(fares)
        for (type_, position, name), price in priced.items():
            assert name == "Classic" or type_ == "economy"
            for (other, seat, called), less in priced.items():
                if (seat, called) == (position, name) and ORDER[other] < ORDER[type_]:
                    assert less < price
                if (other, called) == (type_, name) and (seat, position) == ("middle", "window"):
                    assert less < price
                if (other, seat) == (type_, position) and (called, name) == ("Saver", "Classic"):
                    assert less < price


@pytest.mark.parametrize(("dates", "party"), SETTINGS)
def test_rooms_of_a_hotel_are_few_and_no_two_differ_in_their_days_alone(dates, party):
    made = tables(dates, party)
    hotels = parts_of(made["rooms"], "hotel_id")
    sizes = [len(rooms) for rooms in hotels.values()]
    assert max(sizes) <= 8
    assert sum(sizes) >= 2 * len(sizes)
    names = [one["name"] for one in made["hotels"]]
    assert len(set(names)) == len(names)
    for rooms in hotels.values():
        priced = {(one["room_type"], one["bed_type"], one["max_occupancy"]): one for one in rooms}
        assert len(priced) == len(rooms)
        for (type_, bed, people), room in priced.items():
            plain = priced.get(("standard", bed, people))
            assert type_ == "standard" or plain is None or (
                plain["price_cents"] < room["price_cents"]
            )  # fmt: skip


@pytest.mark.parametrize(("dates", "party"), SETTINGS)
def test_attractions_keep_the_hours_of_their_kind(dates, party):
    for one in tables(dates, party)["attractions"]:
        first, end = HOURS[one["time_of_day"]]
        assert first <= one["start_minute"] < end
        kind, part = one["category"], one["time_of_day"]
        assert kind != "show" or part in ("afternoon", "evening")
        assert kind != "tour" or one["available"] <= 12
        lasts = one["end_minute"] - one["start_minute"]
        assert lasts == 1439 if part == "all-day" else 90 <= lasts <= 180
        assert "Night" not in one["name"]
        assert "Ghost" not in one["name"]


def test_a_doctor_has_one_price_and_is_in_one_place_at_a_time():
    task = CLINIC.draft(11, {"dates": "flexible"})
    made = populate(task.folded, seed_count=1, closure=range(1, 2), distractors=600, seed=3)
    for visits in parts_of(
        CLINIC.materialize(made, 3).tables["appointments"], "doctor_id"
    ).values():
        assert len({one["price_cents"] for one in visits}) == 1
        assert len({(one["date"], one["minute"]) for one in visits}) == len(visits)
