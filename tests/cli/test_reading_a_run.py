"""`report`, `show` and `sql` on a run's directory."""

import csv
import io
import json

import pytest

from crab_graph.cli import main


def test_report_prints_figures_and_writes_the_page(run_directory, tmp_path, capsys):
    page = tmp_path / "report.html"
    assert main(["report", run_directory, "--html", str(page)]) == 0
    text = capsys.readouterr().out
    assert "silent (reference)" in text
    assert "Agents marked" in text
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_report_as_json_is_one_document(run_directory, capsys):
    assert main(["report", run_directory, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (rows,) = [one["rows"] for one in document["exhibits"] if one["id"] == "table-2"]
    assert {row["user"] for row in rows} == {"generic", "ruse"}
    assert all(row["pass_at_1"]["value"] == 0 for row in rows)


def test_show_prints_a_dialogue_or_the_whole_record(run_directory, capsys):
    assert main(["show", run_directory, "S1-001.generic.0"]) == 0
    assert "1 user" in capsys.readouterr().out
    assert main(["show", run_directory, "S1-001.generic.0", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["task_id"], record["outcome"]) == ("S1-001", "fail")


def test_sql_prints_csv_or_a_list_of_objects(run_directory, capsys):
    query = "SELECT episode_id, passed, primary_failure FROM episodes ORDER BY 1"
    assert main(["sql", run_directory, query]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["episode_id"] for row in rows] == ["S1-001.generic.0", "S1-001.ruse.0"]
    assert main(["sql", run_directory, query, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0] == {
        "episode_id": "S1-001.generic.0",
        "passed": False,
        "primary_failure": "no_booking",
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "missing"],
        ["report", "RUN", "--html", "missing/page.html"],
        ["show", "RUN", "S9-999.generic.0"],
        ["sql", "RUN", "SELECT nonsense"],
        ["sql", "RUN", " ; "],
        ["sql", "RUN", "SELECT * FROM read_csv('/etc/passwd')"],
        ["sql", "missing", "SELECT 1"],
    ],
)
def test_what_cannot_be_used_is_one_line_and_exit_2(arguments, run_directory, tmp_path, capsys):
    given = [run_directory if one == "RUN" else one for one in arguments]
    assert main([one.replace("missing", str(tmp_path / "missing")) for one in given]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("crab-graph: ")
    assert captured.err.count("\n") == 1


def test_either_grading_can_be_what_the_table_of_a_run_counts(run_directory, capsys):
    bench = run_directory.removesuffix("run") + "bench"
    again = ["run", bench, "--agent", "silent", "--user", "generic,ruse", "--tasks", "S1"]
    assert main([*again, "--out", run_directory, "--grading", "strict", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["grading"] == "strict"
    assert [group["passed"] for group in document["groups"]] == [0, 0, 0, 0]
    assert [(one["tasks"], one["episodes"]) for one in document["groups"]] == [(1, 1)] * 4
    assert {one["note"] for one in document["groups"]} == {"no interval below 2 tasks"}
    assert main([*again, "--out", run_directory, "--grading", "lenient"]) == 2
    assert "unknown grading 'lenient'" in capsys.readouterr().err
