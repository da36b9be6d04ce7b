"""The mutation matrix on generated tasks: every change is noticed by its checks and no other."""

from dataclasses import replace

import pytest

from crab_graph.analysis.audit.mutations import compositions, matrix, mutations_of
from crab_graph.analysis.audit.neutral_changes import NEUTRAL
from crab_graph.analysis.audit.telling import curt, perfect
from crab_graph.domains.generate import generate_benchmark

SCARCE = {
    *("M:D06:outbound", "M:D06:return", "M:D06:attraction"),
    *(f"M:D{number:02d}" for number in (8, 9, 10, 11, 12, 16, 17, 18, *range(25, 33))),
    "N07",
}
"""Operators that need something not every task has."""


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    return list(generate_benchmark(tmp_path_factory.mktemp("matrix"), 4, seed=11, distractors=150))


@pytest.fixture(scope="module")
def cells(tasks):
    return [cell for task in tasks for cell in matrix(task)]


def test_the_matrix_holds_every_operator_of_the_rulebook(tasks):
    checks = [f"M:D{number:02d}" for number in (1, 2, 3, 4, *range(8, 19), *range(25, 33))]
    units = [f"M:D06:{slot}" for slot in ("outbound", "return", "attraction")]
    others = [f"M{number:02d}" for number in (5, 7, *range(19, 33), *range(35, 44), 45, 46)]
    names = ["M33:hotel", "M33:attraction", "M39:choice"]
    assert {one.id for one in mutations_of(tasks[0])} == {*checks, *units, *others, *names}
    assert [one.id for one in NEUTRAL] == [f"N{number:02d}" for number in range(1, 13)]


@pytest.mark.slow
def test_every_certified_solution_passes_told_in_full_and_told_curtly(tasks):
    for task in tasks:
        for solution in task.solutions:
            told = perfect(task, solution).grade()
            assert told.passed and told.strict["passed"], (told.evidence, told.strict)
            short = curt(task, solution).grade()
            assert short.passed and not short.strict["passed"]


@pytest.mark.slow
def test_each_operator_flips_exactly_its_checks(cells):
    assert [cell.told() for cell in cells if not cell.ok] == []


def test_only_operators_that_need_more_than_a_trip_are_ever_skipped(cells):
    assert {cell.name for cell in cells if cell.is_skipped} <= SCARCE
    exercised = {cell.name for cell in cells if not cell.is_skipped}
    assert len(exercised) >= 54


def test_neutral_changes_leave_the_flips_of_a_mutation_alone(tasks):
    pairs = [
        (one, NEUTRAL[number % len(NEUTRAL)]) for number, one in enumerate(mutations_of(tasks[2]))
    ]
    composed = list(compositions(tasks[2], pairs))
    assert [cell.told() for cell in composed if not cell.ok] == []
    assert sum(cell.is_skipped for cell in composed) < 12


def test_a_check_that_misses_its_mutation_is_found(tasks):
    blind = replace(mutations_of(tasks[0])[0], flips=frozenset({"D02"}))
    (cell,) = matrix(tasks[0], [blind])
    assert not cell.ok and "D01 flipped for D02" in cell.told()
