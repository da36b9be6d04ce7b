"""Benchmarks of any size: what is not needed is neither read nor kept."""

import gc
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import pytest

from crab_graph.domains import benchmark, candidate_turns, generate
from crab_graph.domains.benchmark import load_benchmark
from crab_graph.domains.construction import TaskPlan, build_task, scout
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.task import TaskSpec
from crab_graph.domains.workbench import open_workbench
from crab_graph.errors import UnknownName
from crab_graph.workers import process_map


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    path = tmp_path_factory.mktemp("streaming") / "b"
    generate_benchmark(path, tasks=5, strata=(1,), distractors=16)
    return path


@pytest.fixture
def parsed(monkeypatch):
    """The ids of the specs that are parsed."""
    ids: list[str] = []
    real = TaskSpec.model_validate_json

    def parse(text, **options):
        spec = real(text, **options)
        ids.append(spec.id)
        return spec

    monkeypatch.setattr(TaskSpec, "model_validate_json", parse)
    return ids


def test_one_task_is_read_when_one_is_asked_for(directory, parsed):
    bench = load_benchmark(directory)
    task = bench["S1-003"]
    assert parsed == ["S1-003"]
    assert bench[2] is task
    assert bench[-3] is task
    assert parsed == ["S1-003"]


def test_a_benchmark_is_a_sequence_still(directory):
    bench = load_benchmark(directory)
    ids = ["S1-001", "S1-002", "S1-003", "S1-004", "S1-005"]
    assert [task.id for task in bench] == ids
    assert [task.id for task in bench[1:3]] == ids[1:3]
    assert [task.id for task in reversed(bench)] == ids[::-1]
    assert bench[0] in bench
    assert bench.index(bench[3]) == 3
    with pytest.raises(IndexError):
        bench[5]
    with pytest.raises(UnknownName):
        bench["S2-001"]


@pytest.mark.slow
def test_tasks_gone_through_are_forgotten(directory, parsed, monkeypatch):
    monkeypatch.setattr(benchmark, "_READ_AT_ONCE", 2)
    bench = load_benchmark(directory)
    seen = 0
    for _ in bench:
        seen += 1
        assert len(parsed) <= seen + 1
        gc.collect()
        assert len(bench._loaded) <= 4  # two read together, and the two before them
    assert seen == 5
    gc.collect()
    assert len(bench._loaded) <= 2


def test_plans_are_drawn_as_they_are_needed(tmp_path, monkeypatch):
    kinds = []

    def watched(function, items, jobs):
        kinds.append(isinstance(items, Iterator))
        return process_map(function, items, jobs)

    monkeypatch.setattr(generate, "process_map", watched)
    generate_benchmark(tmp_path / "b", tasks=1, strata=(1,), distractors=16)
    assert kinds == [True, True]


@pytest.mark.slow
def test_a_written_task_leaves_nothing_in_memory(directory, tmp_path):
    """The rows of 30 tasks would take more than 30 times what is allowed here."""
    source = load_benchmark(directory)
    settings = source.manifest.settings
    plan = next(candidate_turns.plan_candidates(settings, 0))
    plan = replace(plan, distractors=300)
    scouted = scout(plan)
    built = build_task(TaskPlan("S1-001", settings.domain, plan.distractors, scouted))
    with open_workbench(tmp_path / "many", settings) as bench:
        tracemalloc.start()
        try:
            bench.keep_task(built)
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            for number in range(30):
                spec = built.spec.model_copy(update={"id": f"S1-{number + 2:03d}"})
                bench.keep_task(replace(built, spec=spec))
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
        assert len(bench.entries()) == 31
    assert grown < 100_000
