"""Tasks with joint wishes: drawn where a level asks for them, certified, told, solved."""

import pytest

from crab_graph.agents.reference import reference_agent
from crab_graph.domain.contract import find_domain
from crab_graph.domains.generate import generate_benchmark
from crab_graph.eval.verdict import grade
from tests.personas.dialogue import talk

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    path = tmp_path_factory.mktemp("joint")
    return generate_benchmark(path, 4, seed=4, distractors=400, level=(2,))


def asked(task):
    joint = task.domain.declaration.joint_rules
    return [rule.name for rule in joint if getattr(task.request, rule.name)]


def test_a_level_that_asks_for_joint_wishes_has_them_and_certifies_them(benchmark):
    for task in benchmark:
        (name,) = asked(task)
        given_up = name in task.request.given_up
        assert task.spec.certificate.ok
        assert (name in {one.name for one in task.graph.constraints}) is not given_up
        assert name in {fact.key for fact in task.facts}


def test_requests_of_the_first_level_are_written_as_before():
    travel = find_domain("travel")
    draft = travel.draft(5, {"date_mode": "fixed", "party": 2})
    joint = {rule.name for rule in travel.declaration.joint_rules}
    written = draft.request.model_dump()
    assert not joint & written.keys() and "given_up" not in written


@pytest.mark.parametrize("condition", ("generic", "ruse"))
def test_the_solver_passes_tasks_with_joint_wishes(benchmark, condition):
    solver = reference_agent("solver", find_domain("travel"))
    for task in benchmark:
        dialogue = talk(task, solver, condition)
        verdict = grade(task, dialogue.transcript)
        assert verdict.strict["passed"], (task.id, asked(task), dialogue.text())
