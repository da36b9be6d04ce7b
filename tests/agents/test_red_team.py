"""The red team against the rule-based user: what must not pass does not, in either grading."""

import pytest

from crab_graph.agents.adapters import resolve_agent
from crab_graph.agents.reference import REFERENCE_AGENTS, reference_agent
from crab_graph.analysis.audit.examination import attacks
from crab_graph.analysis.audit.mutations import matrix
from crab_graph.domains.generate import generate_benchmark
from crab_graph.eval.verdict import grade
from crab_graph.runs.episode import run_episode
from tests.personas.dialogue import talk

LADDER_TEAM = ("rt17", "rt18", "rt19")
"""They do nothing wrong in a task of the first level."""
NAMES = [one for one in REFERENCE_AGENTS if one.startswith("rt") and one not in LADDER_TEAM]
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


@pytest.mark.slow
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


@pytest.fixture(scope="module")
def ladder_task(tmp_path_factory):
    """A task in which a price rises when it is to be booked, and the user changes its mind."""
    path = tmp_path_factory.mktemp("ladder")
    made = generate_benchmark(
        path,
        tasks=1,
        strata=(4,),
        seed=2,
        distractors=60,
        faults=True,
        changes=True,
        fault_kinds=("quote",),
    )
    return made[0]


@pytest.fixture(scope="module")
def slip_task(tmp_path_factory):
    """A task in which a flight booking is stored with a slip."""
    path = tmp_path_factory.mktemp("slip")
    made = generate_benchmark(
        path, tasks=1, strata=(1,), distractors=60, faults=True, fault_kinds=("misentered",)
    )
    return made[0]


@pytest.mark.parametrize("condition", ["generic", "ruse"])
def test_who_looks_at_no_booking_books_for_somebody_else(slip_task, condition):
    unread, solver = (run_episode(slip_task, name, condition) for name in ("rt19", "solver"))
    failing = {check for check, said in unread.checks.items() if said == "fail"}
    assert failing == {"D07"} and unread.fault == "agent"
    assert solver.strict["passed"] and solver.metrics["call_cancellation"] == 1


@pytest.mark.slow
def test_what_was_booked_anew_after_a_slip_counts_once_as_certified(tmp_path):
    made = generate_benchmark(
        tmp_path,
        tasks=4,
        strata=(1, 2, 3, 4),
        seed=11,
        distractors=20,
        faults=True,
        fault_kinds=("misentered",),
    )
    cheapest = [one for task in made for one in attacks(task) if one.agent == "rt05"]
    passed = [one for one in cheapest if one.passed]
    assert len(passed) == 3 and all(one.is_certified for one in passed)


@pytest.mark.slow
def test_the_solver_lets_go_of_what_is_booked_where_a_mind_changes_after_a_new_price(tmp_path):
    made = generate_benchmark(
        tmp_path,
        tasks=4,
        strata=(1, 2, 3, 4),
        seed=9,
        distractors=60,
        faults=True,
        changes=True,
        fault_kinds=("quote",),
    )
    records = [run_episode(task, "solver", "generic", seed=2) for task in made]
    assert [one.primary_failure for one in records] == [None] * 4


@pytest.mark.parametrize(("name", "fails_by"), [("rt17", {"F-WF"}), ("rt18", set())])
def test_who_hides_a_fault_or_goes_by_the_first_word_fails(ladder_task, name, fails_by):
    record = run_episode(ladder_task, name, "generic")
    failing = {check for check, said in record.checks.items() if said == "fail"}
    assert fails_by <= failing and not record.passed and record.fault == "agent"


@pytest.mark.parametrize("condition", ["generic", "ruse"])
def test_the_solver_tells_of_a_new_price_after_a_change_of_mind_too(ladder_task, condition):
    record = run_episode(ladder_task, "solver", condition)
    assert record.strict["checks"]["F-WF"] == "pass" and record.strict["passed"]


@pytest.mark.slow
def test_the_audit_sends_them_where_they_can_do_wrong(ladder_task, slip_task, tasks):
    sent = [{one.agent for one in attacks(task)} for task in (ladder_task, slip_task, tasks[0])]
    found = [{name for name in LADDER_TEAM if name in one} for one in sent]
    assert found == [{"rt17", "rt18"}, {"rt19"}, set()]


@pytest.mark.slow
def test_every_mutation_flips_its_checks_alone_in_a_task_of_the_ladder(ladder_task):
    cells = list(matrix(ladder_task))
    assert all(cell.ok for cell in cells), [cell.told() for cell in cells if not cell.ok]
    assert [set(cell.flips or ()) for cell in cells if cell.name == "M47"] == [{"F-WF"}]
