"""Disputed verdicts as a report on verifiers, and notes in reports, pages and exports."""

import base64
import json
import re
import zlib
from pathlib import Path
from shutil import copytree

import pytest

import crab_graph as cg
from crab_graph.cli import main
from tests.runs.test_notes import HOSTILE


@pytest.fixture(scope="module")
def run(run_directory):
    """A run with two disputed verdicts, and a remark."""
    done = cg.open_run(copytree(run_directory, Path(run_directory).with_name("noted")))
    failed = next(one for one in done if not one.passed)
    check = next(name for name, verdict in failed.checks.items() if verdict == "fail")
    done.note(failed.episode_id, HOSTILE, turn=2, disputed=True, check_id=check, tags=["reading"])
    done.note(failed.episode_id, "the user was unclear", disputed=True)
    done.note(failed.episode_id, "only a remark")
    return done


def test_disputes_come_with_their_evidence(run, tmp_path, capsys):
    found = cg.disputes(run, markdown=tmp_path / "report.md")
    first, second = found
    record, check = run[first.note.episode_id], first.note.check_id
    assert [one.id for one in first.checks] == [check]
    assert len(first.checks[0].evidence) == len(record.evidence[check])
    assert first.verdict == "fail" and second.verdict == record.outcome
    assert {1, 2} <= {one["turn"] for one in first.messages}
    assert {one.id for one in second.checks} == {k for k, v in record.checks.items() if v == "fail"}
    assert first.made_with["benchmark"] == run.config.benchmark_sha256
    assert main(["disputes", str(run.directory), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(found.as_json()))
    assert main(["disputes", str(run.directory)]) == 0
    printed = capsys.readouterr().out
    assert first.title in printed and "2 verdicts are disputed." in printed
    assert "\x1b]0" not in printed and "\u202e" not in printed
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "# Disputed verdicts" in report and f"crab-graph show {run.directory}" in report.replace(
        "\\", ""
    )
    assert "<img" not in report.replace("\\<", "") and "\x1b" not in report


def test_notes_stand_in_reports_and_pages_as_text(run, tmp_path, capsys):
    page, tables = tmp_path / "page.html", tmp_path / "report.md"
    made = cg.report(run, html=page, markdown=tables)
    (notes,) = (one for one in made.exhibits if one.id == "notes")
    assert {row[-1].text for row in notes.rows} == {one.text for one in run.notes}
    markdown = tables.read_text(encoding="utf-8")
    assert "only a remark" in markdown and "<img" not in markdown.replace("\\<", "")
    text = page.read_text(encoding="utf-8")
    assert "only a remark" in text and "<img src=x" not in text
    blocks = re.findall(r'class="episode-data"[^>]*>\s*([\w+/=]+)', text)
    held = [json.loads(zlib.decompress(base64.b64decode(one))) for one in blocks]
    assert sorted(len(one["notes"]) for one in held)[-1] == 3
    assert main(["show", str(run.directory), run.notes[0].episode_id]) == 0
    assert "only a remark" in capsys.readouterr().out


def test_notes_go_with_every_export_that_can_hold_them(run, tmp_path):
    counts = cg.export(run, "parquet", tmp_path / "tables")
    assert counts["notes"] == 3 and (tmp_path / "tables/data/notes.parquet").exists()
    cg.export(run, "openai", tmp_path / "examples", rewards=True)
    stamps = [
        json.loads(line)["episode"]
        for line in (tmp_path / "examples").read_text("utf-8").splitlines()
    ]
    cg.export(run, "langsmith", tmp_path / "traces")
    stamps += [
        one["extra"]["metadata"]
        for one in json.loads((tmp_path / "traces").read_text(encoding="utf-8"))
        if "extra" in one
    ]
    texts = [[note["text"] for note in one["notes"]] for one in stamps if "notes" in one]
    assert texts == 2 * [["the user was unclear", "only a remark", HOSTILE]]


def test_without_notes_nothing_is_said_of_them(run_directory, capsys):
    assert main(["disputes", run_directory]) == 0
    assert capsys.readouterr().out == "No verdict is disputed.\n"
