"""What an agent's code does to the process it runs in: its episode's matter, and nobody else's."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, MessagesState, StateGraph

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.errors import UsageError
from crab_graph.plugins import import_attribute
from crab_graph.runs.surroundings import undisturbed
from crab_graph.settings import Limits
from tests.graph.builders import STOP, scripted

SHORT = Limits(max_turns=4)
AGENTS = """
import os, sys

def exits(messages, tools):
    sys.exit(0)

def make(tools):
    raise OSError(28, "No space left on device")

def wanders(messages, tools):
    print("NOISE")
    os.chdir("/")
    sys.stdout.close()
    return "Hello, and goodbye."
"""


def raising(error):
    def respond(messages, tools):
        raise error

    return respond


def raising_later(error):
    async def respond(messages, tools):
        await asyncio.sleep(0)
        raise error

    return respond


def raising_in_a_task(error):
    async def node(state):
        raise error

    graph = StateGraph(MessagesState)
    graph.add_node("node", node)
    return graph.add_edge(START, "node").compile()


def failing_factory(error):
    def make(tools):
        raise error

    return make


OUTCASTS = [SystemExit(0), SystemExit("tired"), KeyboardInterrupt(), GeneratorExit()]


@pytest.mark.parametrize("error", OUTCASTS, ids=repr)
@pytest.mark.parametrize("kind", [raising, raising_later, failing_factory])
def test_what_is_no_exception_ends_the_episode_in_which_it_was_raised(bench, error, kind):
    episode = cg.run_episode(bench[0], kind(error), "generic", limits=SHORT)
    assert (episode.outcome, episode.fault) == ("infra_error", "infra")
    assert episode.termination == "agent_error"
    assert str(episode.error).startswith(type(error).__name__)


def test_what_leaves_a_runnable_or_a_step_with_a_time_limit_ends_its_episode_too(bench):
    agent: Any = RunnableLambda(lambda messages: sys.exit(3))
    assert cg.run_episode(bench[0], agent, "generic").error == "SystemExit: 3"
    agent = raising_in_a_task(SystemExit(4))
    assert cg.run_episode(bench[0], agent, "generic").error == "SystemExit: 4"
    limits = Limits(max_seconds=30)
    episode = cg.run_episode(bench[0], raising(KeyboardInterrupt()), "generic", limits=limits)
    assert episode.outcome == "infra_error"


def test_a_user_that_exits_ends_its_episode(bench):
    episode = cg.run_episode(bench[0], scripted("Hi"), raising(SystemExit(1)))
    assert (episode.outcome, episode.termination) == ("infra_error", "user_error")


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_run_goes_on_after_an_agent_that_exits_or_cannot_be_made(bench, tmp_path, concurrency):
    made = []

    def make(tools):
        made.append(tools)
        if len(made) == 1:
            raise OSError(28, "No space left on device")
        return raising(SystemExit(0)) if len(made) == 2 else scripted("Hello")

    run = cg.run(bench, make, "generic", out=tmp_path, limits=SHORT, concurrency=concurrency)
    outcomes = sorted(episode.outcome for episode in run)
    assert outcomes == ["budget_exhausted", "budget_exhausted", "infra_error", "infra_error"]
    assert {one.error for one in run if one.outcome == "infra_error"} == {
        "OSError: [Errno 28] No space left on device",
        "SystemExit: 0",
    }


@pytest.mark.parametrize("is_caught", [False, True])
def test_a_real_interrupt_stops_the_run_and_loses_nothing(bench, tmp_path, is_caught):
    def interrupted(messages, tools):
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            if not is_caught:
                raise
        return "Hello"

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        cg.run(bench, interrupted, "generic", out=tmp_path, limits=SHORT)
    assert signal.getsignal(signal.SIGINT) is before
    assert len(cg.open_run(tmp_path)) == 0


def test_an_interrupt_that_a_library_took_for_its_own_is_one(bench, tmp_path):
    def report(progress):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("Query interrupted") from None

    with pytest.raises(KeyboardInterrupt):
        cg.run(bench, "silent", "generic", out=tmp_path, limits=SHORT, progress=report)


def test_an_agent_that_wanders_off_and_closes_what_it_prints_to_does_no_harm(
    bench, tmp_path, monkeypatch, capsys
):
    """Everything is named from the present folder, and a worker has one of its own."""
    monkeypatch.chdir(tmp_path)
    place = os.path.relpath(bench.directory, tmp_path)
    (tmp_path / "wanderers.py").write_text(AGENTS)
    monkeypatch.syspath_prepend(tmp_path)
    arguments = ["run", place, "--user", "generic", "--max-turns", "4", "--json"]
    for name in ("wanders", "exits", "make"):
        code = main([*arguments, "--agent", f"wanderers:{name}", "--out", name])
        said = capsys.readouterr()
        assert code == (0 if name == "wanders" else 1)
        assert said.out.lstrip().startswith("{"), said.out
        assert "cannot be written" not in said.err
        assert len(cg.open_run(name)) == len(bench)
    assert Path.cwd() == tmp_path
    assert not sys.stdout.closed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wanders", "exits", "make"])
def test_workers_are_not_disturbed_either(bench, tmp_path, monkeypatch, capfd, name):
    monkeypatch.chdir(tmp_path)
    place = os.path.relpath(bench.directory, tmp_path)
    (tmp_path / "wanderers.py").write_text(AGENTS)
    monkeypatch.syspath_prepend(tmp_path)
    arguments = ["run", place, "--user", "generic", "--max-turns", "4", "--json", "--jobs", "2"]
    code = main([*arguments, "--agent", f"wanderers:{name}", "--out", "out"])
    assert code == (0 if name == "wanders" else 1)
    assert capfd.readouterr().out.lstrip().startswith("{")
    assert len(cg.open_run("out")) == len(bench)


def test_what_was_shared_is_given_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sys.stdout, sys.stderr
    with undisturbed(), undisturbed():
        os.chdir("/")
        sys.stdout.close()
        sys.stderr = None
        print("still heard")
    assert (sys.stdout, sys.stderr, Path.cwd()) == (*before, tmp_path)


def test_a_closed_descriptor_is_opened_again(capfd):
    with undisturbed():
        os.close(1)
    os.write(1, b"heard\n")
    assert capfd.readouterr().out == "heard\n"


def test_a_module_that_exits_is_no_agent(tmp_path, monkeypatch):
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit(0)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match="importing 'leaving' failed: SystemExit: 0"):
        import_attribute("agent", "leaving:agent")


def test_a_class_that_cannot_be_made_is_one_line(bench):
    class Leaving:
        def __init__(self):
            sys.exit(0)

        def __call__(self, messages, tools):
            return "Hello"

    with pytest.raises(UsageError, match="Leaving' cannot be made: SystemExit: 0"):
        cg.run_episode(bench[0], Leaving, "generic")


def test_a_callable_user_may_still_end_the_talk(bench):
    assert cg.run_episode(bench[0], scripted("Hi"), scripted("Hello", STOP)).termination == "STOP"
