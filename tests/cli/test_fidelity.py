"""`fidelity` shows how users talk, and says that rules are rules."""

import json
import shutil
from pathlib import Path

from crab_graph.cli import main
from tests.editing import edit_lines


def test_fidelity_prints_rates_beside_those_of_people(run_directory, capsys):
    assert main(["fidelity", run_directory]) == 0
    text = capsys.readouterr().out
    assert "people" in text and "rule-based, no language model" in text
    assert main(["fidelity", run_directory, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["people"]["rates"]["short"] == [0.29, 0.29]
    assert {one["condition"] for one in document["groups"]} == {"generic", "ruse"}
    assert set(document["ruse_closer_than_generic"]) == {"rules"}
    (patience,) = (
        check
        for check in document["checks"]
        if (check["condition"], check["figure"]) == ("generic", "patience")
    )
    assert patience["set"] == {"patience": [8]} and patience["people"] is None
    assert (patience["gate"], patience["cases"]) == ("held", 1)
    assert patience["measured"]["value"] >= 8


def test_a_condition_that_did_not_take_is_named_and_exits_with_1(run_directory, tmp_path, capsys):
    run = tmp_path / "run"
    shutil.copytree(run_directory, run)
    shutil.copytree(Path(run_directory).parent / "bench", tmp_path / "bench")
    for shard in (run / "shards").glob("*.jsonl"):
        # A user set to leave after six messages, which left after eight.
        edit_lines(shard, lambda one: one | {"dimensions": one["dimensions"] or ["d4"]})
    assert main(["fidelity", str(run)]) == 1
    text = capsys.readouterr().out
    assert "✗ rules, generic: patience" in text and "1 failed" in text


def test_without_its_tasks_a_run_still_says_how_its_users_talk(run_directory, tmp_path, capsys):
    shutil.copytree(run_directory, tmp_path / "run")
    assert main(["fidelity", str(tmp_path / "run")]) == 0
    text = capsys.readouterr().out
    assert "only how users talk is measured" in text and "Gates" not in text


def test_what_is_no_run_is_refused_in_one_line(tmp_path, capsys):
    assert main(["fidelity", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
