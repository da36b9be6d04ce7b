"""Benchmarks by the paper's algorithms: certified with repair, reported without."""

import json
from itertools import count
from typing import Any

import pytest

from crab_graph.cli.application import main
from crab_graph.domains.benchmark import load_benchmark
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.proof import summarise_spoilage
from crab_graph.errors import BenchmarkError, TooLargeToEnumerate, UsageError
from crab_graph.generation import csp
from crab_graph.generation.paper import PaperParameters

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def literal(tmp_path_factory):
    path = tmp_path_factory.mktemp("paper") / "literal"
    return generate_benchmark(path, 2, strata=(1,), paper=PaperParameters(repair=False))


@pytest.fixture(scope="module")
def repaired(tmp_path_factory):
    path = tmp_path_factory.mktemp("paper") / "repaired"
    return generate_benchmark(path, 1, strata=(3,), distractors=800, paper=PaperParameters())


def test_with_repair_a_task_of_the_papers_algorithms_is_certified(repaired):
    (task,) = repaired
    assert task.spec.node_distractors + task.spec.edge_distractors == 800
    with repaired.connect() as connection:
        assert next(repaired.certify_tasks([task], connection)).ok
    assert repaired.manifest.tasks[0].certified


def test_the_parameters_are_kept_and_other_ones_are_other_settings(repaired):
    settings = json.loads((repaired.directory / "manifest.json").read_text())["settings"]
    assert settings["paper"] == {
        "attempts": 20,
        "ratio": 0.05,
        "sampling": "shuffle",
        "repair": True,
    }
    assert load_benchmark(repaired.directory).manifest.settings == repaired.manifest.settings
    with pytest.raises(BenchmarkError, match="other settings"):
        generate_benchmark(repaired.directory, 1, strata=(3,), distractors=800)


def test_without_repair_a_flexible_task_of_one_seed_has_extra_solutions(literal):
    by_mode = {task.axes["date_mode"]: task for task in literal}
    entries = {entry.id: entry for entry in literal.manifest.tasks}
    spoiled = entries[by_mode["flexible"].id]
    assert not spoiled.certified
    assert spoiled.certificate.expected == 1
    assert spoiled.certificate.sql == spoiled.certificate.arrays > 1000
    assert spoiled.certificate.search == 1001
    assert spoiled.certificate.searched_by == "python-constraint"
    with literal.connect() as connection:
        summary = summarise_spoilage(
            (task, next(literal.certify_tasks([task], connection))) for task in literal
        )
    assert [(one.stratum, one.axes["date_mode"], one.tasks) for one in summary] == [
        (1, "fixed", 1),
        (1, "flexible", 1),
    ]
    assert summary[1].max_extra == spoiled.certificate.sql - 1


def test_a_task_without_repair_says_how_many_solutions_it_truly_has(literal, capsys):
    task = next(one for one in literal if one.axes["date_mode"] == "flexible")
    there_are = literal.entry(task.id).certificate.sql
    assert len(task.solutions) == task.summary()["solutions"] == there_are
    assert f"{there_are:,} solutions" in repr(task)
    assert f"{there_are:,} solutions" in repr(task.solutions)
    assert task.solutions[0] in task.solutions
    assert task.solutions[998:1001] == task.kept_solutions[998:1001]
    for beyond in (
        lambda: task.solutions[-1],
        lambda: task.solutions[:],
        lambda: [*task.solutions],
    ):
        with pytest.raises(
            BenchmarkError, match=r"has [\d,]+ solutions, of which the first 1,001 "
        ):
            beyond()
    command = ["task", str(literal.directory), task.id, "--solutions"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert f"{there_are:,} valid solutions" in shown
    assert f"1,001 of {there_are:,} solutions are shown." in shown
    assert main([*command, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["solutions"]) == document["solutions_shown"] == 1001
    assert document["solutions_in_all"] == there_are


def test_certify_reports_what_was_spoiled_and_exits_with_1(literal, capsys):
    assert main(["certify", str(literal.directory), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is False
    assert [one["date_mode"] for one in document["summary"]] == ["fixed", "flexible"]
    assert document["summary"][1]["spoiled"] == 1
    assert main(["certify", str(literal.directory)]) == 1
    assert "extra solutions" in capsys.readouterr().out


@pytest.mark.parametrize(
    "paper",
    [
        PaperParameters(ratio=0),
        PaperParameters(ratio=1.5),
        PaperParameters(attempts=0),
    ],
)
def test_parameters_that_cannot_be_used_leave_nothing(tmp_path, paper):
    with pytest.raises(UsageError):
        generate_benchmark(tmp_path / "b", 2, strata=(1,), paper=paper)
    assert not (tmp_path / "b").exists()


def test_a_sampling_is_taken_by_its_name_and_an_unknown_one_refused():
    by_name: dict[str, Any] = {"sampling": "enumerate"}
    unknown: dict[str, Any] = {"sampling": "all"}
    assert PaperParameters(**by_name).sampling is csp.Sampling.ENUMERATE
    with pytest.raises(UsageError, match="must be enumerate or shuffle, not 'all'"):
        PaperParameters(**unknown)


@pytest.mark.slow
def test_drafts_too_large_to_enumerate_are_passed_over_and_counted(tmp_path, capsys, monkeypatch):
    kept, calls = csp._kept_of_each, count()

    def refuse_the_first(sizes):
        if next(calls) == 0:
            raise TooLargeToEnumerate
        return kept(sizes)

    monkeypatch.setattr(csp, "_kept_of_each", refuse_the_first)
    monkeypatch.setattr("crab_graph.domains.candidate_turns.OVERSAMPLE", 1)
    told = ["--method", "paper", "--sampling", "enumerate", "--distractors", "300", "--jobs", "1"]
    command = ["generate", str(tmp_path / "b"), "--tasks", "2", "--strata", "1", *told]
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["too_large"] == 1
    made = load_benchmark(tmp_path / "b")
    assert {task.axes["date_mode"] for task in made} == {"fixed", "flexible"}
    assert [one.too_large for one in made.manifest.selection] == [1]
    assert main(command) == 0
    assert "too many to enumerate: 1." in capsys.readouterr().out


def test_options_of_the_paper_are_refused_for_the_fast_path(tmp_path, capsys):
    assert main(["generate", str(tmp_path / "b"), "--rho", "0.1", "--no-repair"]) == 2
    assert "--rho and --no-repair: only with --method paper" in capsys.readouterr().err
    assert not (tmp_path / "b").exists()
