"""What is no agent is refused before anything runs, with the likeliest mistake and its mending."""

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.graph import MessagesState, StateGraph

import crab_graph as cg
from crab_graph.agents.adapters import resolve_agent
from crab_graph.errors import UnknownName, UsageError
from crab_graph.testing import ScriptedChatModel


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("gpt-5-mini", "did you mean openai:gpt-5-mini?"),
        ("o4-mini", "did you mean openai:o4-mini?"),
        ("claude-sonnet-4-5", "did you mean anthropic:claude-sonnet-4-5?"),
        ("gemini-2.5-pro", "did you mean google_genai:gemini-2.5-pro?"),
        ("openai/gpt-5-mini", "did you mean openai:gpt-5-mini?"),
        ("solvr", "did you mean solver?"),
        ("agent.py", "did you mean agent:NAME, what the file calls it?"),
        ("zzz", "an agent is one of credulous, hasty, literal, silent, solver, stubborn; provider"),
    ],
)
def test_a_name_of_no_agent_is_answered_with_what_was_meant(spec, words):
    with pytest.raises(UnknownName) as raised:
        resolve_agent(spec)
    assert f"unknown agent '{spec}'; {words}" in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("opnai:gpt-5-mini", "no model provider (did you mean openai:gpt-5-mini?) and no module"),
        ("folder/agent.py:make", "no module (did you mean agent:make?)"),
        ("nowhere_at_all:agent", "no module: No module named 'nowhere_at_all'"),
    ],
)
def test_a_module_that_is_not_there_is_answered_with_what_was_meant(spec, words):
    with pytest.raises(UsageError) as raised:
        resolve_agent(spec)
    assert words in str(raised.value)


def only_messages(messages):
    return "hello"


OBJECTS: dict[str, list[Any]] = {
    "takes messages alone: an agent takes two parameters, f(messages, tools)": [
        only_messages,
        lambda messages: "hello",
        lambda history: "hello",
    ],
    "takes 3 required arguments": [lambda messages, tools, more: "hello"],
    "ChatOpenAI' is a class: give an object of it, ChatOpenAI(…)": [ChatOpenAI],
    "is a method: give the ScriptedChatModel itself": [ScriptedChatModel(replies=[]).invoke],
    "is a graph that is not compiled: give graph.compile()": [StateGraph(MessagesState)],
    "makes agents: give what it returns, or a factory such as lambda tools: create_agent(": [
        create_agent
    ],
    "None is no agent: neither a Runnable nor callable; an agent is f(messages, tools)": [None],
    "'builtins.int' is no agent": [3],
    "one agent at a time": [["solver", "hasty"]],
}


@pytest.mark.parametrize(
    ("value", "words"), [(value, words) for words, own in OBJECTS.items() for value in own]
)
def test_an_object_that_is_no_agent_is_answered_with_what_to_give(value, words):
    with pytest.raises(UsageError) as raised:
        resolve_agent(value)
    assert words in str(raised.value).replace("takes history", "takes messages")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mistakes") / "bench"
    return cg.generate_benchmark(folder, tasks=1, strata=[1], distractors=100)


@pytest.mark.parametrize("answer", ["hello", None, [], {"role": "assistant"}])
def test_a_factory_that_answers_is_told_from_an_agent(bench, answer):
    with pytest.raises(UsageError, match=r"it returned \w+: an agent takes two"):
        cg.run_episode(bench[0], lambda x: answer)


@pytest.mark.parametrize("wrong", ["S1-001", None, 0])
def test_what_is_no_task_is_refused(bench, wrong):
    calls = (
        lambda: cg.run_episode(wrong, "silent"),
        lambda: cg.build_graph(wrong, "silent"),
        lambda: cg.grade(wrong, []),
    )
    for call in calls:
        with pytest.raises(UsageError, match=r"a task is one of a benchmark, such as bench\[0\]"):
            call()
    with pytest.raises(UsageError, match="a benchmark is a Benchmark or its directory, not Task"):
        cg.run(bench[0], "silent")
    with pytest.raises(UsageError, match="an ablation has several users"):
        cg.ablate(bench, "silent", user="ruse")  # type: ignore[call-arg]


def test_what_is_neither_path_nor_name_is_refused(bench, tmp_path):
    run = cg.run(bench, "silent", "generic", out=tmp_path / "run")
    api: Any = cg  # whose types would find these mistakes
    wrong = {
        "out must be a path, not None": lambda: api.run(bench, "silent", out=None),
        "a run must be a path, not 3": lambda: api.open_run(3),
        "the file of prices must be a path": lambda: api.load_prices(None),
        "no such file of prices": lambda: api.load_prices("nowhere.toml"),
        "an episode is found by its place or its id": lambda: api.Run.__getitem__(run, None),
        "a task is found by its place or its id": lambda: api.Benchmark.__getitem__(
            bench, ("S1-001",)
        ),
        "turn must be a whole number, not '1'": lambda: api.fork_episode(run, run[0], "1", "out"),
        "trial must be 0 or more, not -1": lambda: api.run_episode(bench[0], "silent", trial=-1),
        "a condition must be a text": lambda: api.user_prompt(["ruse"]),
        "a query must be a text": lambda: api.Run.sql(run, None),
        "no task is chosen": lambda: api.run(bench, "silent", tasks=[], out=tmp_path / "none"),
        "cannot be called with two arguments; a user is": lambda: api.run_episode(
            bench[0], "silent", user=only_messages
        ),
    }
    for words, call in wrong.items():
        with pytest.raises(UsageError, match=words):
            call()
    forked = cg.fork_episode(run, run[0], 1, tmp_path / "fork")
    assert forked[0].episode_id == f"{run[0].episode_id}@1"


def test_a_benchmark_and_a_run_are_told_apart(bench, tmp_path):
    run = cg.run(bench, "silent", "generic", out=tmp_path / "run")
    with pytest.raises(cg.CrabGraphError, match=r"but a run: .* open_run"):
        cg.load_benchmark(run)
    with pytest.raises(cg.CrabGraphError, match=r"but a benchmark: .* load_benchmark"):
        cg.open_run(bench)
    with pytest.raises(UsageError, match='Did you mean "episodes"'):
        run.sql("SELECT * FROM episode")
