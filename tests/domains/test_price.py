"""What a booking costs is said once: another rule is followed by everybody at once."""

import json
from dataclasses import replace

import numpy as np
import pytest

import crab_graph as cg
from crab_graph.analysis.audit.rehearsal import items_of
from crab_graph.domain.contract import DOMAINS
from crab_graph.generation.constraints import SqlTerm
from crab_graph.money import format_cents
from tests.domains.dearer import DEARER, with_fee
from tests.domains.test_read_job import read
from tests.tools.builders import ANA, CUSTOMER, HOTEL, LEO, OUT_EARLY, OUT_FARE, ROOM, Episode


@pytest.fixture
def dearer(monkeypatch):
    monkeypatch.setitem(DOMAINS.built_in, "dearer", "tests.domains.dearer:DEARER")


def test_a_rule_takes_numbers_arrays_and_sql_terms():
    kind = DEARER.kinds["hotel"]
    assert kind.price(100, 3) == 2_900
    assert kind.price(np.array([100, 200]), 3).tolist() == [2_900, 3_500]
    assert kind.price(SqlTerm("price"), 3).sql == "(((price * 3) * 2) + 2300)"


def test_a_rule_that_is_not_linear_in_the_price_bounds_nothing():
    kind = replace(DEARER.kinds["hotel"], price=lambda price, units: price**2 * units)
    with pytest.raises(ValueError, match="not linear"):
        kind.slope(2)


def test_tools_and_the_reading_of_bookings_follow_the_rule():
    episode = Episode(domain=DEARER)
    seats = [{"fare_id": OUT_FARE, **person} for person in (ANA, LEO)]
    priced = episode.agent("get_price_airline_booking", flight_id=OUT_EARLY, seats=seats)
    flight = episode.agent(
        "book_flight_with_seats", customer_id=CUSTOMER, flight_id=OUT_EARLY, seats=seats
    )
    stay = {"check_in": "2027-05-03", "check_out": "2027-05-06"}
    rooms = {"hotel_id": HOTEL, "room_ids": [ROOM], **stay}
    quoted = episode.agent("get_price_hotel_booking", **rooms)
    hotel = episode.agent("book_hotel_with_rooms", customer_id=CUSTOMER, guests=2, **rooms)
    booked = read(episode, DEARER).slots
    due = [with_fee(15_000, 2), with_fee(booked["hotel"][0].unit_cents, 3)]
    assert [priced["total"], quoted["total"]] == [format_cents(cents) for cents in due]
    assert [flight["total"], hotel["total"]] == [format_cents(cents) for cents in due]
    read_again = [booked[slot][0] for slot in ("outbound", "hotel")]
    assert [one.due_cents for one in read_again] == [one.total_cents for one in read_again] == due


@pytest.mark.slow
@pytest.mark.usefixtures("dearer")
def test_a_benchmark_an_agent_and_its_grades_follow_the_rule(tmp_path):
    bench = cg.generate_benchmark(
        tmp_path / "bench", domain="dearer", tasks=4, strata=(1,), distractors=120
    )
    budgets = [task for task in bench if task.request.budget_cents is not None]
    assert budgets
    for task in bench:
        trip = items_of(task, task.solutions[0])
        due = {item.slot.id: with_fee(item.unit_cents, item.units) for item in trip}
        solution = {item.slot.id: {"price": item.unit_cents} for item in trip}
        assert DEARER.cost_of_solution(solution, task.request) == sum(due.values())
        episode = cg.run_episode(task, agent="solver", user="generic", seed=0)
        assert episode.passed, episode.checks
        assert sold(episode) == [format_cents(cents) for cents in due.values()]
        assert max(row["limit_cents"] for row in task.world.rows("cards")) >= sum(due.values())
    for task in budgets:
        (budget,) = (one for one in task.graph.edge_constraints if one.name == "total_budget")
        trip = items_of(task, task.solutions[0])
        spare = task.request.budget_cents - sum(item.cents for item in trip)
        prices = {(item.slot.id, "price"): item.unit_cents for item in trip}
        steps = {
            item.slot.id: item.cents - with_fee(item.unit_cents - 1, item.units) for item in trip
        }
        assert budget.linear is not None
        assert {slot: budget.linear.weights[slot, "price"] for slot in steps} == steps
        assert budget.holds(prices)
        dearest = prices[("hotel", "price")] + spare // steps["hotel"]
        assert budget.holds({**prices, ("hotel", "price"): dearest})
        assert not budget.holds({**prices, ("hotel", "price"): dearest + 1})


def test_what_was_sold_by_another_rule_is_not_the_price_due():
    episode = Episode()
    episode.book_room()
    (stay,) = read(episode, DEARER).slots["hotel"]
    assert stay.due_cents == with_fee(stay.unit_cents, 3) != stay.total_cents


def sold(episode):
    """What each booking was sold for, in the order of the bookings."""
    results = [json.loads(one["content"]) for one in episode.messages if one["role"] == "tool"]
    return [one["total"] for one in results if one.get("status") == "pending"]
