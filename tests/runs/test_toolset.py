"""A run's toolset: what the agent can do, kept with the run and never mixed up in results."""

import json
from contextlib import closing
from datetime import date, timedelta
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

import crab_graph as cg
from crab_graph.agents.reference import reference_agent
from crab_graph.analysis.export.openai import export_openai
from crab_graph.analysis.labels import notes_on
from crab_graph.analysis.report.overview import summarise
from crab_graph.analysis.report.study import load_study
from crab_graph.analysis.viewer.background import Background
from crab_graph.cli import main
from crab_graph.domain.contract import find_domain
from crab_graph.errors import ResumeMismatch, UnknownName
from crab_graph.graph.build import Leg, prepare_episode
from crab_graph.graph.state import transcript_of
from crab_graph.graph.users import set_up
from crab_graph.runs.grading import regrade_run
from crab_graph.runs.play import seat_person
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.store import load_record
from crab_graph.settings import EpisodeSettings, Limits, RunLimits
from crab_graph.terms import NOTES
from crab_graph.tools.registry import Owner

EXTENDED = "extended"
SETTINGS: dict[str, Any] = {"user": "ruse", "trials": 1, "tasks": ["S1", "S2"]}


def wrong(call):
    """Return a booking's call with something that is not what was agreed."""
    arguments = dict(call["args"])
    match call["name"]:
        case "book_flight_with_seats":
            named = [{**seat, "passenger_name": "Jo Typo"} for seat in arguments["seats"]]
            arguments["seats"] = named
        case "book_hotel_with_rooms":
            arguments["guests"] = 1
            last = date.fromisoformat(arguments["check_out"])
            arguments["check_in"] = (last - timedelta(days=1)).isoformat()
        case "book_attraction":
            arguments["tickets"] -= 1
    return {**call, "args": arguments}


def mend(call, booking_id):
    """Return the call that changes a booking into what was agreed."""
    name, left_out = {
        "book_flight_with_seats": ("modify_flight_seats", {"flight_id"}),
        "book_hotel_with_rooms": ("modify_hotel_booking", {"hotel_id"}),
        "book_attraction": ("modify_attraction_booking", {"attraction_id"}),
    }[call["name"]]
    kept = {name: value for name, value in call["args"].items() if name not in left_out}
    kept.pop("customer_id")
    return {"id": "mend", "name": name, "args": {"booking_id": booking_id, **kept}}


def mending_agent():
    """Return the solver, which books everything wrongly first and then changes it."""
    solve = reference_agent("solver", find_domain("travel").with_toolset(EXTENDED))
    meant: list[Any] = []

    def respond(messages, tools):
        told = [one for one in messages if isinstance(one, ToolMessage)]
        answers = {one.tool_call_id: str(one.content) for one in told}
        calls = [call for one in messages for call in getattr(one, "tool_calls", ())]
        booked = [call["id"] for call in calls if call["name"].startswith("book_")]
        mended = {call["args"]["booking_id"]: call["id"] for call in calls if is_mend(call)}
        ids = {one: json.loads(answers[one])["booking_id"] for one in booked}
        if booked and not mended:
            todo = zip(meant, booked, strict=True)
            return AIMessage("", tool_calls=[mend(call, ids[one]) for call, one in todo])
        as_meant = dict(zip(booked, meant, strict=True))
        answers |= {one: answers[mended[ids[one]]] for one in booked}
        reply = solve(list(as_if(messages, as_meant, answers)), tools)
        bookings = [one for one in getattr(reply, "tool_calls", ()) if one["name"][:5] == "book_"]
        if not bookings:
            return reply
        meant.extend(bookings)
        return AIMessage("", tool_calls=[wrong(one) for one in bookings])

    return respond


def exchanging_agent():
    """Return the solver, which exchanges the charged hotel for itself before it sums up."""
    solve = reference_agent("solver", find_domain("travel").with_toolset(EXTENDED))
    kept: dict[str, Any] = {}

    def respond(messages, tools):
        told = [one for one in messages if isinstance(one, ToolMessage)]
        answers = {one.tool_call_id: json.loads(str(one.content)) for one in told}
        calls = [call for one in messages for call in getattr(one, "tool_calls", ())]
        if "booked" in kept:
            return kept["summary"]
        if calls and calls[-1]["name"] == "book_hotel_with_rooms":
            kept["new"] = answers[calls[-1]["id"]]
            booking_id, total = kept["new"]["booking_id"], kept["new"]["total"]
            if not isinstance(messages[-1], ToolMessage):
                kept["booked"] = True
                return call_tool("charge_booking", {**kept["charge"], "booking_id": booking_id})
            return (
                "My mistake: the stay was booked wrongly. It is cancelled and refunded, and "
                f"reserved anew as {booking_id}. Please approve its payment of ${total} with "
                f"{kept['charge']['payment_method_id']}."
            )
        reply = solve(messages, tools)
        if not isinstance(reply, str) or "Total charged" not in reply:
            return reply
        kept["summary"] = reply
        kept["charge"] = next(one["args"] for one in calls if one["name"] == "charge_booking")
        hotel = next(one for one in calls if one["name"] == "book_hotel_with_rooms")
        cancelled = {"booking_id": answers[hotel["id"]]["booking_id"]}
        again = call_tool("cancel_hotel_booking", cancelled)
        again.tool_calls.append({**hotel, "id": "again"})
        return again

    return respond


def call_tool(name, arguments):
    return AIMessage("", tool_calls=[{"id": name, "name": name, "args": arguments}])


def is_mend(call):
    return call["name"].startswith("modify_")


def as_if(messages, meant, answers):
    """Yield messages as if what was meant had been booked at once."""
    left_out = set()
    for one in messages:
        if isinstance(one, ToolMessage):
            if one.tool_call_id not in left_out:
                yield ToolMessage(answers[one.tool_call_id], tool_call_id=one.tool_call_id)
        elif getattr(one, "tool_calls", ()):
            if is_mend(one.tool_calls[0]):
                left_out |= {call["id"] for call in one.tool_calls}
                continue
            made = [{**meant.get(call["id"], call), "id": call["id"]} for call in one.tool_calls]
            yield AIMessage("", tool_calls=made)
        else:
            yield one


@pytest.fixture(scope="module")
def group(bench):
    """A task of several travellers, for whom too few tickets can be booked."""
    return next(task for task in bench if task.axes["party"] > 1)


@pytest.fixture(scope="module")
def run(bench, tmp_path_factory):
    out = tmp_path_factory.mktemp("toolset") / "extended"
    return cg.run(bench, "solver", out=out, toolset=EXTENDED, **SETTINGS)


@pytest.fixture(scope="module")
def parity(bench, tmp_path_factory):
    return cg.run(bench, "solver", out=tmp_path_factory.mktemp("toolset") / "parity", **SETTINGS)


# What an episode can do


@pytest.mark.parametrize("user", ["generic", "ruse"])
def test_an_agent_that_changes_its_bookings_until_they_are_right_passes(group, user):
    record = cg.run_episode(group, mending_agent(), user, toolset=EXTENDED)
    names = [call["name"] for call in record.trace]
    assert {"modify_flight_seats", "modify_hotel_booking", "modify_attraction_booking"} < {*names}
    assert record.outcome == "pass", record.explanation
    assert record.strict["passed"]
    assert record.toolset == EXTENDED
    verdict = cg.grade(group, record.messages, toolset=EXTENDED)
    assert verdict.checks == record.checks and not verdict.unconfirmed
    replayed = [event for call in verdict.calls for event in call.events]
    assert replayed == [event for call in record.trace for event in call["events"]]
    refused = cg.grade(group, record.messages)
    assert not refused.passed and refused.unconfirmed


@pytest.mark.parametrize("user", ["generic", "ruse"])
def test_an_agent_that_exchanges_a_charged_hotel_passes(bench, user):
    record = cg.run_episode(bench["S2-001"], exchanging_agent(), user, toolset=EXTENDED)
    assert record.outcome == "pass", record.explanation
    assert record.strict["passed"]
    assert record.metrics["call_cancellation"] == 1
    kinds = [
        event["row"]["kind"]
        for call in record.trace
        for event in call["events"]
        if event["table"] == "transactions"
    ]
    assert kinds == [*["charge"] * 4, "refund", "charge"]


def test_an_agent_of_the_paper_has_no_such_tools(bench):
    seen = []

    def look(messages, tools):
        seen.append({tool.name for tool in tools})
        return "Bye"

    limits = Limits(max_turns=3)
    for toolset in (None, "parity", EXTENDED):
        cg.run_episode(bench[0], look, "generic", toolset=toolset, limits=limits)
    assert {*map(len, seen)} == {19, 24}
    assert "cancel_hotel_booking" not in seen[0] and "cancel_hotel_booking" in seen[-1]


def test_an_episode_of_the_papers_tools_is_what_it_always_was(bench):
    def spec(toolset):
        task = bench[0].with_toolset(toolset)
        setup = set_up(EpisodeSettings())
        return prepare_episode(task, "solver", "ruse", None, setup, Leg()).spec

    assert spec(None) == spec("parity") != spec(EXTENDED)


def test_a_graph_has_the_tools_it_was_built_with(group):
    graph = cg.build_graph(group, mending_agent(), "generic", toolset=EXTENDED)
    talk = transcript_of(graph.invoke({}))
    assert cg.grade(group, talk, toolset=EXTENDED).passed


def test_a_toolset_nobody_knows_is_refused_before_anything_is_written(bench, tmp_path):
    with pytest.raises(UnknownName, match="known: extended, parity"):
        cg.run(bench, "solver", out=tmp_path / "run", toolset="all")
    assert not (tmp_path / "run").exists()


# What a run keeps


def test_a_run_and_its_episodes_say_which_toolset_they_had(run, parity):
    assert run.is_complete and run.pass_at_1 == 1.0
    assert (run.config.toolset, {one.toolset for one in run}) == (EXTENDED, {EXTENDED})
    assert (parity.config.toolset, {one.toolset for one in parity}) == ("parity", {"parity"})
    assert run[0].stamp["tools"] != parity[0].stamp["tools"]


def test_a_record_of_before_there_were_others_had_the_papers(parity):
    stored = json.loads(parity[0].model_dump_json())
    del stored["toolset"]
    assert EpisodeRecord.model_validate(stored) == parity[0]


def test_a_run_does_not_go_on_under_another_toolset(bench, run, parity):
    with pytest.raises(ResumeMismatch, match="begun with toolset extended, not parity"):
        cg.run(bench, "solver", out=run.directory, **SETTINGS)
    with pytest.raises(ResumeMismatch, match="begun with toolset parity, not extended"):
        cg.run(bench, "solver", out=parity.directory, toolset=EXTENDED, **SETTINGS)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_is_finished_with_the_toolset_it_was_begun_with(bench, tmp_path, jobs):
    cap = RunLimits(max_messages=1)
    out = tmp_path / "run"
    begun = cg.run(bench, "solver", out=out, toolset=EXTENDED, run_limits=cap, **SETTINGS)
    assert len(begun) < begun.planned
    whole = cg.resume_run(out, jobs=jobs, run_limits=RunLimits())
    assert whole.is_complete and {one.toolset for one in whole} == {EXTENDED}


def test_an_opened_benchmark_keeps_its_toolset(bench, tmp_path):
    more = bench.with_toolset(EXTENDED)
    assert more.with_toolset("parity").toolset == "parity" == bench.toolset
    found = cg.run(more, "silent", "generic", out=tmp_path / "run", tasks=["S1"])
    assert found.config.toolset == EXTENDED


@pytest.mark.slow
def test_regrading_and_forking_take_the_toolset_of_the_episode(bench, group, tmp_path):
    out, tasks = tmp_path / "a", [group.id]
    first = cg.run(bench, mending_agent(), "generic", out=out, tasks=tasks, toolset=EXTENDED)
    assert first[0].passed
    assert regrade_run(first.directory).is_same
    fork = cg.fork_episode(first.directory, first[0].episode_id, 1, tmp_path / "b", agent="solver")
    assert (fork.config.toolset, fork[0].toolset, fork[0].passed) == (EXTENDED, EXTENDED, True)
    again = load_record(first.directory, first[0].episode_id)
    assert Background.of_run(first.directory).deeds(again)


@pytest.mark.slow
def test_a_run_of_both_toolsets_is_regraded_episode_by_episode(bench, tmp_path):
    out = tmp_path / "run"
    cap = RunLimits(max_messages=1)
    cg.run(bench, "solver", out=out, run_limits=cap, **SETTINGS)
    mixed = cg.run(bench, "solver", out=out, toolset=EXTENDED, allow_mismatch=True, **SETTINGS)
    assert {one.toolset for one in mixed} == {"parity", EXTENDED}
    assert regrade_run(out).is_same
    assert len(load_study([out]).arms) == 2


# What is told of it


def test_results_of_two_toolsets_stand_apart(run, parity):
    study = load_study([parity.directory, run.directory])
    assert [arm.agent_label for arm in study.arms] == ["solver", "solver (extended tools)"]
    assert [group.agent for group in summarise([*parity, *run])] == [
        "solver",
        "solver (extended tools)",
    ]
    assert NOTES["toolset"] in notes_on([*parity, *run])
    assert NOTES["toolset"] not in notes_on(parity)


def test_sql_knows_the_toolset(run):
    assert run.sql("SELECT DISTINCT toolset FROM episodes").fetchall() == [(EXTENDED,)]
    assert run.sql("SELECT toolset FROM runs").fetchall() == [(EXTENDED,)]


def test_an_export_shows_the_tools_that_the_agent_had(run, tmp_path):
    export_openai(run, tmp_path / "data.jsonl")
    with closing((tmp_path / "data.jsonl").open()) as file:
        example = json.loads(file.readline())
    assert "cancel_hotel_booking" in {tool["function"]["name"] for tool in example["tools"]}
    assert "Every booking can be cancelled" in example["messages"][0]["content"]


# The command line


def test_the_command_runs_and_labels_an_extended_run(bench, tmp_path, capsys):
    options = ["run", str(bench.directory), "--agent", "solver", "--tasks", "S1", "--user", "terse"]
    out = ["--out", str(tmp_path / "run")]
    assert main([*options, *out, "--toolset", EXTENDED]) == 0
    assert "solver (extended tools) (reference agent, no LLM)" in capsys.readouterr().out
    assert main([*options, *out, "--toolset", EXTENDED, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["toolset"] == EXTENDED
    assert main([*options, *out]) == 2
    assert "begun with toolset extended, not parity" in capsys.readouterr().err
    assert main(["show", str(tmp_path / "run"), "S1-001.terse.0"]) == 0
    assert "solver (extended tools)" in capsys.readouterr().out
    assert main([*options, *out, "--toolset", "all"]) == 2


def test_the_command_grades_a_transcript_with_its_toolset(bench, group, tmp_path, capsys):
    record = cg.run_episode(group, mending_agent(), "generic", toolset=EXTENDED)
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in record.messages))
    graded = ["grade", str(bench.directory), group.id, str(path), "--json"]
    assert main([*graded, "--toolset", EXTENDED]) == 0
    assert main(graded) == 1
    capsys.readouterr()


@pytest.mark.slow
def test_an_ablation_and_a_seat_have_a_toolset_too(bench, tmp_path, capsys):
    options = ["ablate", str(bench.directory), "--agent", "silent", "--conditions", "generic,d2"]
    out = ["--tasks", "S1", "--out", str(tmp_path / "run"), "--toolset", EXTENDED, "--json"]
    assert main([*options, *out]) == 0
    assert json.loads(capsys.readouterr().out)["toolset"] == EXTENDED
    table = seat_person(bench, "S1-001", "agent", toolset=EXTENDED)
    assert table.sitting(tmp_path / "seat").config.toolset == EXTENDED
    assert "modify_hotel_booking" in table.bench.domain.registry().names(Owner.AGENT)
