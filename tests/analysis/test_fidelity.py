"""Rates of users' turns, read from their text, beside those of people."""

from types import SimpleNamespace
from typing import Any

import pytest

from crab_graph.analysis.fidelity.turn_rates import HUMAN, closer_than, gap, kinds_of, measure_users


def episode(*turns, task="S1-001", persona="terse", condition="ruse", told=0) -> Any:
    facts = [{"turn": number + 1} for number in range(told)] + [{"turn": None}]
    messages = [{"role": "user", "content": turn} for turn in turns]
    private = {"role": "user", "content": "not said", "tool_calls": [{"name": "x"}]}
    return SimpleNamespace(
        task_id=task,
        stratum=1,
        persona=persona,
        condition=condition,
        user_engine="rules",
        facts=facts,
        messages=[*messages, private, {"role": "assistant", "content": "please?"}],
    )


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("3 nights.", {"short"}),
        ("Thanks. ###STOP###", {"short", "polite"}),
        ("Could you book the outbound flight, please?", {"polite", "question"}),
        ("I think that is what we settled on.", {"uncertain"}),
        ("On second thought, we would like an aisle seat.", {"change_of_mind"}),
        ("The hotel should have at least 3 stars.", set()),
    ],
)
def test_the_kinds_of_a_turn_are_read_from_its_text(text, kinds):
    assert kinds_of(text) == kinds


def test_a_rate_inside_the_range_of_people_is_no_distance_away():
    assert gap("polite", 0.17) == 0
    assert gap("polite", 0.25) == pytest.approx(0.05)
    assert gap("short", 0.09) == pytest.approx(0.2)


def test_rates_are_given_for_each_condition_and_persona():
    groups = measure_users(
        [
            episode("Economy.", "A morning flight out would be best for us.", told=2),
            episode("Would you please show me what there is?", task="S1-002", persona="neutral"),
            episode("Hello there, my friend.", persona="none", condition="generic"),
        ]
    )
    found = {(one.condition, one.persona): one for one in groups}
    assert set(found) == {("ruse", None), ("ruse", "terse"), ("ruse", "neutral"), ("generic", None)}
    ruse = found["ruse", None]
    assert ruse.turns == 3
    assert ruse.rates["short"].value == pytest.approx(1 / 3)
    low, high = ruse.rates["short"].interval.ends or (1, 0)
    assert 0 <= low < ruse.rates["short"].value < high <= 1
    assert (ruse.tasks, ruse.episodes) == (2, 2)
    assert found["ruse", "terse"].distance.interval.note == "no interval below 2 tasks"
    assert ruse.facts.value == pytest.approx(2 / 3)
    assert ruse.words.value == pytest.approx((1 + 8 + 8) / 3, abs=0.5)
    assert found["ruse", "terse"].rates["short"].value == 0.5
    assert found["ruse", "neutral"].rates["question"].value == 1
    assert closer_than(ruse, found["generic", None])["short"]


def test_people_are_no_distance_away_from_themselves():
    assert all(gap(kind, (low + high) / 2) == 0 for kind, (low, high) in HUMAN.items())
