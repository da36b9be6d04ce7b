import json

import pytest
import typer
from typer.testing import CliRunner

import crab_graph.runs.run  # noqa: F401  (whoever imports it first below binds what is patched)
from crab_graph.cli.grade import grade
from crab_graph.errors import TranscriptError
from tests.eval.builders import Plan, small_task

APP = typer.Typer()
APP.command()(grade)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "crab_graph.domains.benchmark.load_benchmark", lambda path: {"S1-001": small_task()}
    )

    def run(lines, *options):
        path = tmp_path / "talk.jsonl"
        path.write_text("\n".join(lines))
        return CliRunner().invoke(APP, ["bench", "S1-001", str(path), *options])

    return run


def lines(plan):
    return [json.dumps(message) for message in plan.write().messages]


def test_a_passing_transcript_exits_with_0_and_prints_the_document(run):
    result = run(lines(Plan()), "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["outcome"] == "pass"


def test_a_failing_transcript_exits_with_1_and_shows_the_evidence(run):
    result = run(lines(Plan(closing="Confirmed, trip total: $1.00.")))
    assert result.exit_code == 1
    assert "F-PS" in result.stdout and "$1,010.00 were captured" in result.stdout


def test_a_malformed_transcript_is_reported_with_its_line(run):
    result = run(["{"])
    assert isinstance(result.exception, TranscriptError) and "line 1" in str(result.exception)


def test_calls_whose_recorded_result_is_another_are_counted_and_named(run):
    script = Plan().write()
    answers = [m for m in script.messages if m["role"] == "tool" and m["owner"] == "agent"]
    answers[0]["content"] = '{"booking_id": "BK-1"}'
    result = run([json.dumps(message) for message in script.messages])
    assert "1 call has another recorded result" in result.stdout
    assert "book_flight_with_seats (step 4)" in result.stdout
    document = json.loads(run([json.dumps(m) for m in script.messages], "--json").stdout)
    assert [one["recorded"] for one in document["unconfirmed"]] == ['{"booking_id": "BK-1"}']
