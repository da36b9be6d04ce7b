"""A run goes on with the agent that it was begun with, also where that is an object."""

import asyncio
import json
from queue import SimpleQueue
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.checkpoint.memory import InMemorySaver

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.errors import ResumeMismatch, UsageError

ONE: dict[str, Any] = {"user": "generic", "tasks": ["S1"], "limits": cg.Limits(max_turns=2)}


def fake(text):
    class Fake(FakeListChatModel):
        def bind_tools(self, tools, **kwargs):
            return self

    return Fake(responses=[text, "And then?"])


def queueing(text):
    replies: SimpleQueue[str] = SimpleQueue()
    replies.put(text)

    def agent(messages, tools):
        return "Hello." if replies.empty() else replies.get()

    return agent


def test_another_model_in_the_same_folder_is_refused(bench, tmp_path):
    cg.run(bench, fake("Hello."), out=tmp_path / "run", **ONE)
    with pytest.raises(ResumeMismatch, match="holds a run with other settings") as raised:
        cg.run(bench, fake("Good day."), out=tmp_path / "run", **ONE)
    (line,) = raised.value.differences
    assert line.startswith("begun with models of the agent Fake #")


def test_an_agent_that_played_goes_on_as_itself(bench, tmp_path):
    agent = fake("Hello.")
    first = cg.run(bench, agent, out=tmp_path / "run", **ONE)
    assert agent.i > 0  # it is not what it was
    again = cg.run(bench, agent, out=tmp_path / "run", **ONE)
    assert [one.messages for one in again] == [one.messages for one in first]
    assert len(cg.run(bench, fake("Hello."), out=tmp_path / "run", **ONE)) == len(first)


def test_where_nothing_tells_two_agents_apart_a_run_asks_for_a_name(bench, tmp_path):
    agent = queueing("Hello.")
    cg.run(bench, agent, out=tmp_path / "run", **ONE)
    cg.run(bench, agent, out=tmp_path / "run", **ONE)  # the same object
    with pytest.raises(ResumeMismatch) as raised:
        cg.run(bench, queueing("Good day."), out=tmp_path / "run", **ONE)
    (line,) = str(raised.value).splitlines()
    assert line == (
        f"{tmp_path / 'run'}: nothing tells this agent from the one it was begun with, since "
        "replies is a SimpleQueue; begin with a `name=`, use another directory, or, if it is the "
        "same one, go on with `allow_mismatch=True`"
    )
    assert cg.run(bench, agent, out=tmp_path / "other", **ONE).is_complete


def test_a_name_tells_agents_apart_and_one_from_itself(bench, tmp_path):
    cg.run(bench, queueing("Hello."), out=tmp_path / "run", name="Mine", **ONE)
    again = cg.run(bench, queueing("Hello."), out=tmp_path / "run", name="Mine", **ONE)
    assert again.is_complete
    with pytest.raises(ResumeMismatch, match="begun with name Mine, not Yours"):
        cg.run(bench, queueing("Hello."), out=tmp_path / "run", name="Yours", **ONE)


def test_a_thread_goes_on_with_its_agent_alone(bench):
    saver, task = InMemorySaver(), bench[0]
    settings: dict[str, Any] = {
        "user": "generic",
        "checkpointer": saver,
        "limits": cg.Limits(max_turns=2),
    }
    agent = fake("Hello.")
    one = cg.run_episode(task, agent, thread_id="t", **settings)
    assert cg.run_episode(task, agent, thread_id="t", **settings).messages == one.messages
    with pytest.raises(ResumeMismatch, match="holds an episode with another task, agent"):
        cg.run_episode(task, fake("Good day."), thread_id="t", **settings)
    other = cg.run_episode(task, fake("Good day."), **settings)
    assert other.messages != one.messages
    cg.run_episode(task, queueing("Hello."), thread_id="u", **settings)
    with pytest.raises(ResumeMismatch, match="since replies is a SimpleQueue: give it a name="):
        cg.run_episode(task, queueing("Hello."), thread_id="u", **settings)


def test_tables_and_report_call_an_agent_by_its_name(bench, tmp_path, capsys):
    run = cg.run(bench, fake("Hello."), out=tmp_path / "run", name="Our agent v2", **ONE)
    spec = f"python:{__name__}.fake.<locals>.Fake"
    assert repr(run).endswith("by Our agent v2>")
    assert (run[0].agent, run[0].agent_spec) == ("Our agent v2", spec)
    for table in ("episodes", "runs"):
        rows = run.sql(f"SELECT DISTINCT agent, agent_spec FROM {table}").fetchall()
        assert rows == [("Our agent v2", spec)]
    assert main(["report", str(run.directory), "--json"]) == 0
    printed = capsys.readouterr().out
    assert '"Our agent v2"' in printed
    assert spec not in printed


def test_the_command_line_names_an_agent(bench, tmp_path, capsys):
    out = tmp_path / "run"
    given = [str(bench.directory), "--agent", "silent", "--name", "Quiet one", "--tasks", "S1"]
    assert main(["run", *given, "--user", "generic", "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agent"] == "Quiet one"
    assert main(["resume", str(out)]) == 0
    assert "Quiet one" in capsys.readouterr().out
    episode = str(cg.open_run(out)[0].episode_id)
    forked = cg.fork_episode(out, episode, 0, tmp_path / "same")
    assert (forked[0].agent, forked[0].agent_spec) == ("Quiet one", "silent")
    renamed = cg.fork_episode(out, episode, 0, tmp_path / "named", name="Loud one")
    assert renamed[0].agent == "Loud one"
    assert cg.fork_episode(out, episode, 0, tmp_path / "hasty", agent="hasty")[0].agent == "hasty"


def test_the_name_of_another_agent_is_refused(bench, tmp_path):
    with pytest.raises(UsageError, match="the name 'solver' is another agent's"):
        cg.run(bench, queueing("Hello."), out=tmp_path / "run", name="solver", **ONE)


def caller(text):
    def user(messages, tools):
        return f"{text} ###STOP###"

    return user


def test_another_user_that_is_python_code_is_refused_too(bench, tmp_path):
    given = {**ONE, "agent": "silent", "out": tmp_path / "run"}
    user = caller("Hello")
    first = cg.run(bench, **given | {"user": user})
    assert cg.run(bench, **given | {"user": user})[0].messages == first[0].messages
    with pytest.raises(ResumeMismatch, match="begun with values of the user "):
        cg.run(bench, **given | {"user": caller("Bye")})
    saver = InMemorySaver()
    cg.run_episode(bench[0], "silent", user, checkpointer=saver, thread_id="t")
    with pytest.raises(ResumeMismatch, match="another task, agent, user"):
        cg.run_episode(bench[0], "silent", caller("Bye"), checkpointer=saver, thread_id="t")


def test_another_model_of_the_user_is_refused_too(bench, tmp_path):
    given = {**ONE, "agent": "silent", "engine": "llm", "out": tmp_path / "run"}
    cg.run(bench, **given, user_model=fake("Hello ###STOP###"))
    with pytest.raises(ResumeMismatch, match="begun with models of the user Fake"):
        cg.run(bench, **given, user_model=fake("Bye ###STOP###"))


def test_episodes_that_are_played_at_once_are_of_one_agent(bench):
    async def together(agent, saver):
        given: dict[str, Any] = {"user": "generic", "checkpointer": saver}
        given["limits"] = cg.Limits(max_turns=2)
        return await asyncio.gather(
            *(cg.arun_episode(task, agent, thread_id=task.id, **given) for task in bench[:3])
        )

    agent, saver = fake("Hello."), InMemorySaver()
    first = asyncio.run(together(agent, saver))
    assert agent.i > 0
    assert asyncio.run(together(agent, saver)) == first
