import sys
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool

from crab_graph import build_graph
from crab_graph.agents.adapters import resolve_agent
from crab_graph.agents.reply import BadReply, plain, read_reply
from crab_graph.errors import UnknownName, UsageError
from crab_graph.graph.state import transcript_of
from crab_graph.models.secrets import public_spec, without_secrets
from crab_graph.testing import ScriptedChatModel, tool_call_reply
from crab_graph.tools.registry import Owner, ToolRegistry
from tests.graph.builders import CUSTOMER, SHARED_TOOLS, STOP, build_task, scripted

REGISTRY = ToolRegistry(SHARED_TOOLS)
LOOKUP = ("get_customer_information", {"customer_id": CUSTOMER})
MESSAGES = [SystemMessage("Policy", id="m0"), HumanMessage("Hello", id="m1")]

MODULE = """
from langchain_core.messages import AIMessage

def plain_agent(messages, tools):
    return f"{len(tools)} tools"

def make(tools):
    def respond(messages):
        return f"made with {len(tools)}"
    return respond

class Careful:
    def __init__(self, tools):
        self.tools = tools
    def __call__(self, messages, tools):
        return "careful"

async def slow(messages, tools):
    return "slow"

number = 3
def greedy(one, two, three): ...
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "my_agents.py").write_text(MODULE)
    (tmp_path / "broken_agents.py").write_text("raise RuntimeError('at import')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("my_agents", None)


def answer(spec):
    return resolve_agent(spec).open(REGISTRY)(MESSAGES)


def test_each_kind_of_agent_answers():
    count = len(REGISTRY.names(Owner.AGENT))
    assert answer(lambda messages, tools: f"{len(tools)} tools").text == f"{count} tools"
    assert answer(lambda messages, tools: AIMessage("hi")).text == "hi"
    assert answer(ScriptedChatModel(replies=["scripted"])).text == "scripted"
    assert answer(RunnableLambda(lambda messages: AIMessage(messages[-1].content))).text == "Hello"
    assert answer(lambda tools: create_agent(ScriptedChatModel(replies=["in"]), tools)).text == "in"


def test_a_chat_model_is_bound_once_to_the_schemas(monkeypatch):
    bound = []
    original = ScriptedChatModel.bind_tools

    def counting(self, tools, **kwargs):
        bound.append([schema["function"]["name"] for schema in tools])
        return original(self, tools, **kwargs)

    monkeypatch.setattr(ScriptedChatModel, "bind_tools", counting)
    agent = resolve_agent(ScriptedChatModel(replies=[tool_call_reply(LOOKUP)]))
    replies = [agent.open(REGISTRY)(MESSAGES) for _ in range(3)]
    assert bound == [list(REGISTRY.names(Owner.AGENT))]
    assert replies[0].calls == (LOOKUP,)


def test_specs_name_functions_factories_and_classes(module):
    count = len(REGISTRY.names(Owner.AGENT))
    assert answer("my_agents:plain_agent").text == f"{count} tools"
    assert answer("my_agents:make").text == f"made with {count}"
    assert answer("my_agents:Careful").text == "careful"
    assert answer("my_agents:slow").text == "slow"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("my_agents:nobody", "no attribute"),
        ("my_agents:number", "neither a Runnable nor callable"),
        ("my_agents:greedy", "takes 3 required arguments"),
        ("broken_agents:x", "RuntimeError: at import"),
        ("no_such_module:x", "no model provider and no module"),
        ("no.such.module:x", "no model provider and no module"),
        ("http://localhost:9", "names no model"),
        ("groq:llama", "pip install langchain-groq"),
        ("openai:gpt-5-mini", "cannot be opened"),
        (42, "neither a Runnable nor callable"),
    ],
)
def test_an_unusable_agent_gets_one_line(module, monkeypatch, spec, message):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match=message) as caught:
        resolve_agent(spec)
    assert "\n" not in str(caught.value)


def test_an_unknown_reference_agent_is_named():
    with pytest.raises(UnknownName, match="did you mean solver"):
        resolve_agent("solvr")


def test_a_package_registers_agents_by_name(tmp_path, monkeypatch):
    (tmp_path / "their_agents.py").write_text(MODULE)
    about = tmp_path / "their_agents-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-agents\nVersion: 1.0\n")
    entries = "careful = their_agents:Careful\nplain = their_agents:plain_agent\nsolver = x:y\n"
    (about / "entry_points.txt").write_text(f"[crab_graph.agents]\n{entries}bad = their_agents:n\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "their_agents", raising=False)
    assert answer("careful").text == "careful"
    assert answer("plain").text == f"{len(REGISTRY.names(Owner.AGENT))} tools"
    assert resolve_agent("careful").name == "careful"
    assert [resolve_agent(name).is_reference for name in ("careful", "solver")] == [False, True]
    with pytest.raises(UsageError, match="agent 'bad' of the package 'their-agents' cannot be"):
        resolve_agent("bad")
    with pytest.raises(UnknownName, match="did you mean careful"):
        resolve_agent("carefull")
    sys.modules.pop("their_agents", None)


def test_an_address_becomes_an_openai_compatible_model():
    agent = resolve_agent("http://me:pass@localhost:9/v1?api_key=k1&version=2#some-model")
    assert agent.name == "http://***@localhost:9/v1?api_key=***&version=2#some-model"


def test_credentials_do_not_reach_records(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "abcdefgh12345")
    text = without_secrets("bad key abcdefgh12345 or sk-proj-abcdefghijkl at http://u:p@host/")
    assert text == "bad key *** or *** at http://***@host/"
    assert public_spec("openai:gpt-5") == "openai:gpt-5"


@tool
def roll() -> str:
    """Roll a die."""
    return "4"


def routed(*replies):
    """Return what an episode with a compiled agent made by a factory records."""

    def make(tools):
        return create_agent(ScriptedChatModel(replies=list(replies)), [*tools, roll])

    return build_graph(build_task(), make, scripted("Hello", STOP)).invoke({})


def test_a_compiled_agent_has_its_calls_run_by_the_environment():
    state = routed(tool_call_reply(LOOKUP, "get_recent_payment_transactions"), "Done")
    lines = transcript_of(state)
    roles = [line["role"] for line in lines]
    assert roles == ["user", "assistant", "tool", "tool", "assistant", "user"]
    assert [call["name"] for call in lines[1]["tool_calls"]] == [
        "get_customer_information",
        "get_recent_payment_transactions",
    ]
    assert "Ana Ruiz" in lines[2]["content"]
    assert "invalid_arguments" in lines[3]["content"]
    assert state["counts"]["tool_errors"] == 1


def test_a_compiled_agent_keeps_the_use_of_its_own_tools():
    seen = []

    class Watching(ScriptedChatModel):
        def _generate(self, messages, *args, **kwargs):
            seen.append([message.type for message in messages])
            return super()._generate(messages, *args, **kwargs)

    replies = [tool_call_reply("roll"), tool_call_reply(LOOKUP), "Done"]
    model = Watching(replies=replies)
    state = build_graph(
        build_task(), lambda tools: create_agent(model, [*tools, roll]), scripted("Hello", STOP)
    ).invoke({})
    assert seen[-1] == ["system", "human", "ai", "tool", "ai", "tool"]
    assert [line["role"] for line in transcript_of(state)] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert "inner" not in transcript_of(state)[1]


def test_an_unknown_tool_of_a_compiled_agent_is_recorded():
    state = routed(tool_call_reply("no_such_tool"), "Sorry")
    assert "unknown_tool" in transcript_of(state)[2]["content"]


def test_a_compiled_graph_built_with_the_tools_that_refuse_to_run_works_too():
    tools = REGISTRY.langchain_tools(Owner.AGENT)
    graph = create_agent(ScriptedChatModel(replies=[tool_call_reply(LOOKUP), "Done"]), tools)
    state = build_graph(build_task(), graph, scripted("Hello", STOP)).invoke({})
    assert "Ana Ruiz" in transcript_of(state)[2]["content"]
    assert transcript_of(state)[3]["content"] == "Done"


@pytest.mark.parametrize("reply", [None, 3, HumanMessage("hi"), ["hi"]])
def test_what_is_no_reply_is_refused(reply):
    with pytest.raises(BadReply, match="AIMessage or a str"):
        read_reply(reply)


def test_only_the_text_of_a_message_is_said():
    blocks: list[Any] = [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "text", "text": "Hello"},
    ]
    assert read_reply(AIMessage(content=blocks)).text == "Hello"


def test_arguments_become_plain_json():
    odd = {"a": (1, 2), 3: 2**70, "n": float("nan"), "s": "\ud800", "t": {1}}
    assert plain(odd) == {"a": [1, 2], "3": str(2**70), "n": "nan", "s": "?", "t": [1]}
