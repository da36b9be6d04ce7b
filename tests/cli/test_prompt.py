"""`prompt` prints what a model that plays the user is told, and what one factor changes."""

import json
from pathlib import Path

from crab_graph.cli import main


def test_prompt_prints_the_prompt_of_a_condition(capsys):
    assert main(["prompt", "terse+d2"]) == 0
    assert "You are terse" in capsys.readouterr().out


def test_prompt_shows_what_one_factor_changes(capsys):
    assert main(["prompt", "persona", "--diff", "persona+d4", "--persona", "terse", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["diff"]["changed"] == ["d4"]
    assert "+# How you take mistakes" in document["diff"]["unified"]
    assert document["sha256"] != document["diff"]["sha256"]


def test_prompt_fills_in_what_the_user_of_a_task_knows(run_directory, capsys):
    bench = Path(run_directory).parent / "bench"
    assert main(["prompt", "ruse", "--task", f"{bench}:S1-001"]) == 0
    by_colon = capsys.readouterr().out
    assert main(["prompt", "ruse", "--bench", str(bench), "--task", "S1-001"]) == 0
    assert capsys.readouterr().out == by_colon
    assert "We start from" in by_colon or "We are flying from" in by_colon


def test_unusable_input_is_one_line(tmp_path, capsys):
    (tmp_path / "d2_anxious.md").write_text("Say little.")
    for arguments in (
        ["prompt", "grumpy"],
        ["prompt", "ruse", "--persona", "grumpy"],
        ["prompt", "ruse", "--task", "S1-001"],
        ["prompt", "ruse", "--personas", str(tmp_path)],
    ):
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and error.startswith("crab-graph: ")
