"""Figures of a run: who is counted in what."""

import pytest

from crab_graph.analysis.report.measures import parts_passed
from crab_graph.analysis.report.overview import summarise
from crab_graph.terms import OUTCOMES


def test_each_agent_with_each_user_has_a_group(records):
    groups = summarise(records)
    assert [(group.agent, group.user) for group in groups] == [
        ("solver", "generic"),
        ("hasty", "ruse"),
    ]


def test_rates_come_with_intervals_and_all_five_counts(records):
    solver, hasty = summarise(records)
    assert (solver.rates["pass_at_1"].value, hasty.rates["pass_at_1"].value) == (1.0, 0.0)
    # Two of two tasks: Clopper and Pearson's lower end is the root of 0.025.
    assert solver.rates["pass_at_1"].ends == pytest.approx((0.025**0.5, 1.0))
    assert solver.rates["pass_at_1"].basis == "2 tasks, 2 episodes"
    assert list(hasty.outcomes) == list(OUTCOMES)
    assert hasty.outcomes["fail"] == 2
    assert hasty.failed_checks == {"C-PART": 2, "D02": 2, "D19": 2, "F-PT": 1}
    assert hasty.failure_modes == {"payment": 2}


def test_an_episode_without_a_score_is_counted_but_not_rated(records):
    lost = records[0].model_copy(update={"outcome": "infra_error", "passed": False, "trial": 1})
    solver = summarise([*records, lost])[0]
    assert (sum(solver.outcomes.values()), solver.outcomes["infra_error"]) == (3, 1)
    assert solver.rates["pass_at_1"].value == 1.0


def test_without_any_score_there_is_no_rate(records):
    lost = records[0].model_copy(update={"outcome": "infra_error", "passed": False})
    (group,) = summarise([lost])
    assert group.rates["pass_at_1"].value is None


def test_a_verdict_has_parts(records):
    assert parts_passed(records[2]) == {
        "concrete": False,
        "factuality": True,
        "completion": False,
        "abstract": False,
    }
