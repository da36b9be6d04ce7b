"""The mutation matrix of declared domains: derived from whatever they declare, and exact."""

import pytest

from crab_graph.analysis.audit.mutations import compositions, matrix, mutations_of
from crab_graph.analysis.audit.neutral_changes import NEUTRAL
from crab_graph.analysis.audit.telling import curt, perfect
from crab_graph.domain import build
from crab_graph.domain.contract import register
from crab_graph.domain.verification import Role
from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.domains.generate import generate_benchmark
from tests.domain.shapes.archive import DOMAIN as ARCHIVE
from tests.domain.weekend import WEEKEND

pytestmark = pytest.mark.slow

DECLARED = {one.name: one for one in (ARCHIVE, CLINIC, build(WEEKEND))}
"""Two slots and nothing to pay; four in an order, of several units; five, with one that is free,
one that is held by the day, and people named on bookings."""

NOWHERE = {"M:D-bay_stays_open"}
"""What tools refuse to book."""


@pytest.fixture(scope="module", params=DECLARED)
def tasks(request, tmp_path_factory):
    if request.param != "clinic":
        register(DECLARED[request.param])
    directory = tmp_path_factory.mktemp("declared") / request.param
    return list(generate_benchmark(directory, 4, domain=request.param, seed=2, distractors=120))


@pytest.fixture(scope="module")
def cells(tasks):
    return [cell for task in tasks for cell in matrix(task)]


def test_every_solution_passes_told_in_full_and_told_curtly(tasks):
    for task in tasks:
        for solution in task.solutions[:4]:
            told = perfect(task, solution).grade()
            assert told.passed and told.strict["passed"], (told.evidence, told.strict)
            assert curt(task, solution).grade().passed


def test_each_operator_flips_exactly_its_checks(cells):
    assert [cell.told() for cell in cells if not cell.ok] == []


def test_every_declared_check_is_broken_somewhere(tasks, cells):
    done = {cell.name for cell in cells if not cell.is_skipped}
    asked = {
        check.id
        for task in tasks
        for check in task.domain.grading.checks(task.request, task.graph)
        if check.constraints or check.role is Role.SLOT_FILLED
    }
    broken = {check for name in done | NOWHERE for check in asked if name.startswith(f"M:{check}")}
    assert asked - broken <= {"D17"}  # Prices need not add up to a cent too much.


def test_neutral_changes_leave_the_flips_of_a_mutation_alone(tasks):
    pairs = [
        (one, NEUTRAL[number % len(NEUTRAL)]) for number, one in enumerate(mutations_of(tasks[0]))
    ]
    composed = list(compositions(tasks[0], pairs))
    assert [cell.told() for cell in composed if not cell.ok] == []
    assert sum(not cell.is_skipped for cell in composed) > len(pairs) / 2
