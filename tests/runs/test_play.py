"""A person in either seat: what is typed is kept, and graded like any other episode."""

import io
import json

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langgraph.checkpoint.memory import InMemorySaver

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.cli.play import _answer_to
from crab_graph.errors import ResumeMismatch, UnknownName, UsageError
from crab_graph.graph.person import read_answer
from crab_graph.runs.play import play_with_person, seat_person
from crab_graph.testing import ScriptedChatModel, tool_call_reply

CARDS = {"calls": [{"name": "get_my_payment_cards", "arguments": {}}]}


def typist(*answers):
    """A person who types these answers, and then leaves; and what it was shown."""
    shown = []
    left = iter(answers)

    def ask(request):
        shown.append(request)
        for answer in left:
            return answer
        raise EOFError

    return ask, shown


def test_a_person_as_user_is_recorded_and_graded(bench, tmp_path):
    origin = next(fact for fact in bench["S1-001"].facts if fact.key == "origin")
    ask, shown = typist(f"I leave from {origin.value}.", CARDS, "Bye ###STOP###")
    table = seat_person(bench, "s1-001", "user", agent="silent", user="terse")
    record = play_with_person(table, tmp_path / "p", ask)
    assert (record.episode_id, record.user_engine, record.termination) == (
        "S1-001.terse.0",
        "person",
        "STOP",
    )
    assert [call["name"] for call in record.trace] == ["get_my_payment_cards"]
    assert {fact["key"]: fact["turn"] for fact in record.facts}["origin"] == 1
    assert [request["seat"] for request in shown] == ["user"] * 3
    assert json.loads(shown[2]["messages"][0]["content"])["cards"]
    run = cg.open_run(tmp_path / "p")
    assert list(run) == [record]
    assert run.is_complete


def test_a_person_as_agent_sees_nothing_private(bench, tmp_path):
    ask, shown = typist("Hello", {"calls": [{"name": "list_all_airports"}]})
    table = seat_person(bench, "S1-001", "agent", user="impatient")
    with pytest.raises(EOFError):
        play_with_person(table, tmp_path / "p", ask)
    assert shown[0]["messages"][0]["role"] == "user"
    assert "search_flights_by_route" in shown[0]["tools"]
    assert not any("get_my_payment_cards" in str(request) for request in shown)
    assert json.loads(shown[2]["messages"][0]["content"])["airports"]


def test_a_play_goes_on_where_it_was_left(bench, tmp_path):
    table = seat_person(bench, "S1-001", "user", agent="silent")
    first, _ = typist("Hello", "Anybody there?")
    with pytest.raises(EOFError):
        play_with_person(table, tmp_path / "p", first)
    second, shown = typist("Bye ###STOP###")
    record = play_with_person(table, tmp_path / "p", second)
    assert [line["content"] for line in record.messages if line["role"] == "user"] == [
        "Hello",
        "Anybody there?",
        "Bye ###STOP###",
    ]
    assert len(shown) == 1
    nobody, unused = typist()
    assert play_with_person(table, tmp_path / "p", nobody) == record
    assert not unused
    with pytest.raises(ResumeMismatch, match="begun with agent silent, not solver"):
        play_with_person(seat_person(bench, "S1-001", "user"), tmp_path / "p", nobody)
    with pytest.raises(UsageError, match="same `play` command"):
        cg.resume_run(tmp_path / "p")
    with pytest.raises(EOFError):
        play_with_person(table, tmp_path / "p", nobody, force=True)


def test_the_other_side_may_break_down_and_goes_on_there(bench, tmp_path):
    broken = [True]

    def agent(messages, tools):
        if broken:
            broken.clear()
            raise ConnectionError("the line is dead")
        return "Here I am"

    table = seat_person(bench, "S1-001", "user", agent=agent)
    ask, shown = typist("Hello", "Bye ###STOP###")
    record = play_with_person(table, tmp_path / "p", ask)
    assert [line["content"] for line in record.messages] == ["Hello", "Here I am", "Bye ###STOP###"]
    assert len(shown) == 2


def approving(tools):
    """Return an agent that lets a person decide before it looks up a customer."""
    ask_first = HumanInTheLoopMiddleware({"get_customer_information": True})
    call = tool_call_reply(("get_customer_information", {"customer_id": "CU-1"}))
    model = ScriptedChatModel(replies=[call, "I looked."])
    return create_agent(model, tools, middleware=[ask_first])


def test_a_reply_that_is_too_long_ends_a_play_as_an_error_of_the_agent(bench, tmp_path):
    ask, _ = typist("Too much to say.")
    table = seat_person(bench, "S1-001", "agent", limits=cg.Limits(max_reply_characters=10))
    record = play_with_person(table, tmp_path / "p", ask)
    assert (record.outcome, record.fault) == ("budget_exhausted", "agent")
    assert "max_reply_characters" in (record.error or "")
    assert play_with_person(table, tmp_path / "p", ask) == record


def test_what_the_agent_asks_a_person_is_asked_in_play(bench, tmp_path, monkeypatch, capsys):
    table = seat_person(bench, "S1-001", "user", agent=approving)
    decision = {"decisions": [{"type": "reject", "message": "Not now."}]}
    ask, shown = typist("Hello", decision, "Bye ###STOP###")
    record = play_with_person(table, tmp_path / "p", ask)
    assert shown[1]["question"]["action_requests"][0]["name"] == "get_customer_information"
    assert [line["content"] for line in record.messages] == ["Hello", "I looked.", "Bye ###STOP###"]
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{json.dumps(decision)}\n"))
    assert _answer_to({"any": "thing"}) == decision
    assert "the agent waits for a decision" in capsys.readouterr().out


def test_a_run_says_what_to_do_about_an_agent_that_waits_for_a_person(bench, tmp_path):
    for checkpointer in (None, InMemorySaver()):
        record = cg.run_episode(bench[0], approving, "generic", checkpointer=checkpointer)
        assert (record.outcome, record.fault) == ("infra_error", "infra")
        assert record.termination == "agent_interrupt"
        assert "let it decide by itself, or play the task where somebody" in str(record.error)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("S1-001", "judge"), UsageError),
        (("S9-001", "user"), UnknownName),
    ],
)
def test_what_cannot_be_played_is_refused(bench, arguments, error):
    with pytest.raises(error):
        seat_person(bench, *arguments)


@pytest.mark.parametrize("answer", [3, None, {"calls": [{"arguments": {}}]}, {"calls": 3}])
def test_what_is_no_answer_is_refused(answer):
    with pytest.raises(UsageError, match="an answer is a text"):
        read_answer(answer)


def test_the_command_reads_lines_and_prints_a_verdict(bench, tmp_path, monkeypatch, capsys):
    command = ["play", str(bench.directory), "S1-001", "--as", "user", "--agent", "silent"]
    command += ["--out", str(tmp_path / "p")]
    typed = "Hello\n/call get_my_payment_card\n/call get_my_payment_cards oops\n/tools\n/brief\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert main(command) == 1
    errors = capsys.readouterr().err
    assert "no tool 'get_my_payment_card' in this seat" in errors
    assert "'oops' has no '='" in errors
    assert "The same command goes on." in errors
    typed = '/call record_payment_approval {"booking_id": "B"}\n/call get_my_payment_cards\n/stop\n'
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert main(command) == 0
    output = capsys.readouterr().out
    assert '"error": "invalid_arguments"' in output
    assert "Verdict: user_fault." in output
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["termination"] == "STOP"
