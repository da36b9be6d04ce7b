"""Where nothing has a price nobody pays: bookings are confirmed at once; no check is of money."""

from dataclasses import replace

import pytest

import crab_graph as cg
import crab_graph.domain as cd
from crab_graph.domain.verification import Role
from crab_graph.domains.starter.starter_domain import DECLARATION, LESSON, ROOM
from crab_graph.eval.reading import read_task
from crab_graph.eval.verifiers import verifiers_of

OF_MONEY = {
    Role.PAID,
    Role.METHOD,
    Role.CHARGE_APPROVED,
    Role.AMOUNT,
    Role.TOTAL_TOLD,
    Role.SUMMARY_TOLD,
    Role.PRICE_TOLD,
}


def free(offer):
    fields = {name: field for name, field in offer.fields.items() if name != "price"}
    return replace(offer, fields=fields)


def declared(name, lesson, room, **changes):
    offers = {"lesson": lesson, "room": room}
    slots = [replace(slot, offer=offers[slot.id]) for slot in DECLARATION.slots]
    return cd.register(cd.build(replace(DECLARATION, name=name, slots=slots, **changes)))


@pytest.fixture(scope="module")
def all_free(tmp_path_factory):
    declared("all_free", free(LESSON), free(ROOM), budget=None)
    path = tmp_path_factory.mktemp("free") / "bench"
    return cg.generate_benchmark(path, tasks=4, domain="all_free", distractors=200)


@pytest.fixture(scope="module")
def half_free(tmp_path_factory):
    declared("half_free", LESSON, free(ROOM))
    path = tmp_path_factory.mktemp("free") / "bench"
    return cg.generate_benchmark(path, tasks=4, domain="half_free", distractors=200)


def test_no_check_is_about_money_where_all_is_free(all_free):
    roles = {one.role for one in verifiers_of(read_task(all_free[0]))}
    assert not roles & OF_MONEY
    assert {Role.SLOT_FILLED, Role.EDGE, Role.PLAN_APPROVED, Role.ENDED_FULL} <= roles


def test_a_careful_agent_passes_without_a_payment(all_free):
    for task in all_free:
        episode = cg.run_episode(task, agent="solver", user="ruse")
        assert episode.passed and episode.strict["passed"], episode.failures
        assert episode.metrics["job_state"] == "full"
        called = {call["name"] for call in episode.trace}
        assert not called & {"charge_booking", "record_payment_approval"}


def test_a_careless_one_still_fails(all_free):
    task = all_free[0]
    assert not cg.run_episode(task, agent="silent", user="ruse").passed
    hasty = [cg.run_episode(one, agent="hasty", user="ruse") for one in all_free]
    assert not all(one.passed for one in hasty)
    assert not {mode for one in hasty for mode in one.failures} & {"payment"}


def test_what_is_free_beside_what_is_not_is_confirmed_and_nothing_is_told_of_its_price(half_free):
    for task in half_free:
        episode = cg.run_episode(task, agent="solver", user="ruse")
        assert episode.passed and episode.strict["passed"], episode.failures
        charged = [call for call in episode.trace if call["name"] == "charge_booking"]
        assert len(charged) == 1
        assert episode.metrics["coverage"]["F-IP"]["opportunities"] == 1
