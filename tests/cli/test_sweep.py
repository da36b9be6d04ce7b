"""`sweep`: what it prints, and how it refuses."""

import json

import pytest

from crab_graph.cli import main
from crab_graph.seals import seal_of


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("sweep") / "bench")
    assert main(["generate", path, "--tasks", "1", "--strata", "1", "--distractors", "16"]) == 0
    return path


def test_a_sweep_is_a_directory_of_benchmarks_and_a_file(bench, tmp_path, capsys):
    out = tmp_path / "out"
    arguments = ["sweep", bench, "--vary", "distractors", "--values", "0,24", "--out", str(out)]
    assert main([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    stored = json.loads((out / "sweep.json").read_text())
    assert stored.pop("seal") == seal_of(stored)
    assert {key: printed[key] for key in stored} == stored
    assert sorted(path.name for path in out.iterdir()) == [
        "distractors-0",
        "distractors-24",
        "sweep.json",
    ]
    (family,) = stored["families"]
    assert [(one["value"], one["task"], one["solutions"]) for one in family["tasks"]] == [
        (0, "S1-001", 1),
        (24, "S1-001", 1),
    ]
    assert main(arguments) == 0
    assert "1 families, all certified" in capsys.readouterr().out
    assert main(["certify", str(out / "distractors-24")]) == 0
    assert main(["tasks", str(out / "distractors-0"), "--stats"]) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--vary", "colours"], "unknown thing to vary 'colours'"),
        (["--vary", "distractors", "--values", "0,many"], "--values takes numbers"),
        (["--vary", "distractors", "--values", "7"], "compares two or more values"),
        (["--vary", "edges", "--values", "0,9"], "values of edges are from 0 to 3, not 9"),
        (["--vary", "solutions", "--tasks", "2"], "tasks must be between 1 and 1, not 2"),
        (["--vary", "solutions", "--tasks", "S4-009"], "unknown task 'S4-009'"),
        ([], "Missing option '--vary'"),
    ],
)
def test_unusable_input_is_one_line_and_leaves_nothing(bench, tmp_path, options, words, capsys):
    assert main(["sweep", bench, *options, "--out", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr()
    assert words in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""
    assert not (tmp_path / "out").exists()
