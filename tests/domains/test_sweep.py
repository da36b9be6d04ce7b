"""Families of tasks that differ in one thing."""

import json
from itertools import pairwise

import pytest

from crab_graph.domains import variation
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.sweep import load_sweep, sweep_benchmark
from crab_graph.errors import BenchmarkError, UnknownName, UnsatisfiableTask, UsageError
from crab_graph.generation.population import populate

pytestmark = pytest.mark.slow

OFFERS = ("flights", "fares", "hotels", "rooms", "attractions")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    path = tmp_path_factory.mktemp("sweep") / "bench"
    return generate_benchmark(path, tasks=2, strata=(1, 2), distractors=400)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("sweeps")


@pytest.fixture(scope="module")
def by_distractors(bench, out):
    return sweep_benchmark(bench, out / "d", vary="distractors", values=(0, 40, 200))


@pytest.fixture(scope="module")
def by_edges(bench, out):
    return sweep_benchmark(bench, out / "e", vary="edges", values=(0, 2, 3))


@pytest.fixture(scope="module")
def by_solutions(bench, out):
    return sweep_benchmark(bench, out / "s", vary="solutions")


def families(sweep):
    benches = sweep.benchmarks
    return [
        [benches[one.value][one.task] for one in family.tasks] for family in sweep.record.families
    ]


def offers(task):
    return {(table, *row.items()) for table in OFFERS for row in task.world.rows(table)}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["by_distractors", "by_edges", "by_solutions"])
def test_every_task_of_a_sweep_is_certified_on_its_tables(name, request):
    for bench in request.getfixturevalue(name).benchmarks.values():
        with bench.connect() as connection:
            assert all(next(bench.certify_tasks([task], connection)).ok for task in bench)


def test_fewer_distractors_are_part_of_more_and_all_else_is_alike(by_distractors, bench):
    assert [family.source for family in by_distractors.record.families] == [t.id for t in bench]
    for source, tasks in zip(bench, families(by_distractors), strict=True):
        counts = [task.spec.node_distractors + task.spec.edge_distractors for task in tasks]
        assert counts == [0, 40, 200]
        for small, large in pairwise(tasks):
            assert offers(small) < offers(large)
        for task in tasks:
            assert task.id == source.id
            assert task.request == source.request
            assert task.profile == source.profile
            assert task.solutions == tasks[0].solutions
            assert len(task.solutions) == len(source.solutions)
            for table in ("customers", "cards", "bookings", "booked_fares"):
                assert task.world.rows(table) == tasks[0].world.rows(table)


def test_more_edges_are_active_around_the_same_seed(by_edges):
    for tasks in families(by_edges):
        active = [set(task.spec.active_edges) for task in tasks]
        assert active[0] < active[1] < active[2]
        totals = {task.spec.node_distractors + task.spec.edge_distractors for task in tasks}
        assert totals == {400}
        asked_for = [
            (task.request.budget_cents is not None)
            + task.request.same_carrier
            + task.request.same_district
            for task in tasks
        ]
        assert asked_for == [0, 2, 3]
        for task in tasks[1:]:
            assert all(one in tasks[0].solutions for one in task.solutions)
    assert [len(task.solutions) for task in families(by_edges)[0]] == [1, 1, 1]


def test_more_seeds_add_solutions_among_the_same_distractors(by_solutions):
    for number, tasks in enumerate(families(by_solutions), start=1):
        assert [task.id for task in tasks] == [f"S{k}-{number:03d}" for k in (1, 2, 3, 4)]
        assert [task.stratum for task in tasks] == [1, 2, 3, 4]
        assert len({task.spec.node_distractors for task in tasks}) == 1
        assert len({json.dumps(task.spec.request) for task in tasks}) == 1
        for small, large in pairwise(tasks):
            assert offers(small) < offers(large)
            assert all(one in large.solutions for one in small.solutions)
            assert len(small.solutions) < len(large.solutions)
        assert len(tasks[0].solutions) == 1


def test_an_interrupted_sweep_goes_on_and_ends_alike(by_distractors, bench, tmp_path):
    class Stop(Exception):
        pass

    def interrupt(done, total):
        raise Stop

    with pytest.raises(Stop):
        sweep_benchmark(
            bench, tmp_path / "d", vary="distractors", values=(0, 40, 200), progress=interrupt
        )
    with pytest.raises(BenchmarkError, match="not a finished sweep"):
        load_sweep(tmp_path / "d")
    steps = []
    again = sweep_benchmark(
        bench,
        tmp_path / "d",
        vary="distractors",
        values=(0, 40, 200),
        progress=lambda *step: steps.append(step),
    )
    assert again.record == by_distractors.record == load_sweep(tmp_path / "d").record
    assert steps == [(1, 2), (2, 2)]


def test_a_task_that_cannot_take_a_value_is_left_out_of_all(bench, tmp_path, monkeypatch):
    real = populate

    def refuse_two_seeds(folded, **options):
        if options["seed_count"] == 2:
            raise UnsatisfiableTask("too few objects")
        return real(folded, **options)

    monkeypatch.setattr(variation, "populate", refuse_two_seeds)
    made = sweep_benchmark(bench, tmp_path / "d", vary="distractors", values=(0, 10))
    assert [family.source for family in made.record.families] == ["S1-001"]
    assert [(one.task, one.reason) for one in made.record.left_out] == [
        ("S2-001", "too few objects")
    ]
    assert [len(one) for one in made.benchmarks.values()] == [1, 1]
    with pytest.raises(UnsatisfiableTask, match=r"no task can take all the values: too few"):
        sweep_benchmark(bench, tmp_path / "e", vary="distractors", values=(0, 10), tasks=["S2-001"])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"vary": "colours"}, UnknownName),
        ({"vary": "distractors", "values": (5,)}, UsageError),
        ({"vary": "distractors", "values": (-1, 5)}, UsageError),
        ({"vary": "edges", "values": (0, 4)}, UsageError),
        ({"vary": "solutions", "values": (0, 1)}, UsageError),
        ({"vary": "edges", "tasks": 3}, UsageError),
        ({"vary": "edges", "tasks": ()}, UsageError),
        ({"vary": "edges", "tasks": ["S9-001"]}, UnknownName),
        ({"vary": "edges", "jobs": 0}, UsageError),
    ],
)
def test_unusable_arguments_are_refused_and_leave_nothing(bench, tmp_path, arguments, error):
    with pytest.raises(error):
        sweep_benchmark(bench, tmp_path / "out", **arguments)
    assert not (tmp_path / "out").exists()


def test_another_sweep_or_a_foreign_directory_is_not_written_over(by_distractors, bench, tmp_path):
    directory = by_distractors.directory
    with pytest.raises(BenchmarkError, match="other values"):
        sweep_benchmark(bench, directory, vary="distractors", values=(0, 41))
    with pytest.raises(BenchmarkError, match="other settings"):
        sweep_benchmark(bench, directory, vary="distractors", values=(0, 40, 200), tasks=1)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BenchmarkError, match="no sweep's"):
        sweep_benchmark(bench, tmp_path, vary="edges", force=True)
    with pytest.raises(BenchmarkError, match="is the benchmark itself"):
        sweep_benchmark(bench, bench.directory, vary="edges")
    member = by_distractors.benchmarks[40]
    with pytest.raises(UsageError, match="part of a sweep"):
        sweep_benchmark(member, tmp_path / "out", vary="edges")
