import pytest

import crab_graph as cg
from crab_graph.eval.user_facts import UserConduct


@pytest.fixture(scope="module")
def played(bench):
    return cg.run_episode(bench[0], "solver", "terse")


def told(episode):
    return {fact["key"]: fact["turn"] for fact in episode.facts if fact["turn"] is not None}


def fates(task, episode, turns):
    return cg.grade(task, episode.messages, conduct=UserConduct(None, turns)).fact_fates


def test_an_agent_that_asks_before_it_books_gets_every_fact_in_time(bench, played):
    assert played.passed
    assert played.fact_fates.keys() == told(played).keys()
    assert set(played.fact_fates.values()) == {"in_time"}


def test_a_fact_that_was_not_told_is_never_got(bench, played):
    turns = told(played)
    del turns["traveller_names"]
    assert played.fact_fates | {"traveller_names": "never"} == fates(bench[0], played, turns)


def test_a_fact_that_nobody_needs_beside_another_has_no_fate_unless_it_is_told(bench, played):
    turns = told(played)
    assert {fact.key for fact in bench[0].facts} - turns.keys() == {"email"}
    assert "email" not in fates(bench[0], played, turns)
    late = turns | {"email": turns["customer_id"]}
    assert fates(bench[0], played, late)["email"] == "in_time"
    del turns["customer_id"]
    assert fates(bench[0], played, turns)["email"] == "never"


def test_a_fact_told_after_the_booking_of_its_slot_is_late_even_where_the_booking_meets_it(
    bench, played
):

    users = [
        number
        for number, one in enumerate(
            (m for m in played.messages if m["role"] != "tool" and not m.get("tool_calls")), start=1
        )
        if one["role"] == "user"
    ]

    turns = {**told(played), "hotel_stars": users[-1]}
    assert fates(bench[0], played, turns)["hotel_stars"] == "late"


def test_a_fact_that_was_told_and_is_contradicted_by_the_booking_was_ignored(bench):
    ignored = set()
    for task in bench:
        episode = cg.run_episode(task, "rt05", "generic")
        deciding = task.domain.grading.deciding_checks
        for key, fate in episode.fact_fates.items():
            if fate == "ignored":
                ignored.add(key)
                assert any(episode.checks[check] == "fail" for check in deciding[key])
    assert ignored


def test_where_nothing_tells_what_the_user_said_no_fate_is_claimed(bench, played):
    assert cg.grade(bench[0], played.messages).fact_fates == {}
