"""The red team against the rule-based user: what must not pass does not, in either grading."""

import pytest

from crab_graph.agents.adapters import resolve_agent
from crab_graph.agents.reference import REFERENCE_AGENTS, reference_agent
from crab_graph.domains.generate import generate_benchmark
from crab_graph.eval.verdict import grade
from crab_graph.runs.episode import run_episode
from tests.personas.dialogue import talk

NAMES = [name for name in REFERENCE_AGENTS if name.startswith("rt")]
MAY_PASS = {"rt15", "rt16"}
FAILS_BY = {
    "rt02": {"D01"},
    "rt03": {"D01"},
    "rt04": {"D01"},
    "rt06": {"D05"},
    "rt07": {"D19"},
    "rt08": {"D21"},
    "rt09": {"D21"},
    "rt10": {"D21"},
    "rt11": {"D01"},
    "rt12": {"F-NM"},
    "rt13": {"F-ID"},
    "rt14": {"F-NM"},
}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    made = generate_benchmark(tmp_path_factory.mktemp("red"), 4, seed=5, distractors=400)
    return [made[0], made[3]]


def graded(task, name, condition="generic"):
    dialogue = talk(task, reference_agent(name, task.domain, task.solutions), condition)
    return grade(task, dialogue.transcript), dialogue


@pytest.mark.parametrize("name", NAMES)
def test_the_red_team_passes_only_where_it_may(tasks, name):
    for task in tasks:
        verdict, dialogue = graded(task, name)
        failing = {check for check, said in verdict.checks.items() if said == "fail"}
        assert FAILS_BY.get(name, set()) <= failing, (failing, dialogue.text())
        assert not verdict.strict["passed"], dialogue.text()
        if name in MAY_PASS:
            assert verdict.passed, (failing, verdict.evidence, dialogue.text())
        elif name == "rt05":
            assert not verdict.passed or verdict.metrics["job_state"] == "full"
        else:
            assert not verdict.passed


def test_only_one_agent_is_handed_the_certified_solutions(tasks):
    asked = []

    def answers():
        asked.append(name)
        return tasks[0].solutions

    for name in REFERENCE_AGENTS:
        resolve_agent(name).open_for(tasks[0].domain, answers)
    assert asked == ["rt06"]


def test_an_episode_hands_the_solutions_to_that_agent(tasks):
    record = run_episode(tasks[1], "rt06", "generic")
    booked = {
        call["arguments"].get("flight_id")
        for message in record.messages
        for call in message.get("tool_calls") or ()
    }
    certified = {solution["outbound"]["flight_id"] for solution in tasks[1].solutions}
    assert certified <= booked and record.checks["D05"] == "fail"
    assert record.agent_is_reference
