"""Two agents are told apart by whatever decides what they answer, and by nothing else."""

import json
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware
from langchain_core.language_models.fake_chat_models import (
    FakeListChatModel,
    GenericFakeChatModel,
)
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph_supervisor import create_supervisor
from langgraph_swarm import create_swarm

from crab_graph.agents.fingerprint import fingerprint
from crab_graph.agents.identity import check_name, identify, playing
from crab_graph.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
GREETING = "Hello"


def openai(model="a", key="sk-one-key-of-many", **settings):
    return ChatOpenAI(model=model, api_key=key, **settings)


def closing_over(value):
    def agent(messages, tools):
        return str(value)

    return agent


def with_default(value):
    def agent(messages, tools, said=value):
        return said

    return agent


def greeting(text):
    scope: dict[str, Any] = {"said": text}
    exec("def agent(messages, tools):\n    return said", scope)
    return scope["agent"]


def known(agent, name=None):
    found = identify(agent, name)
    assert found is not None
    return found


def typed(source):
    scope: dict[str, Any] = {}
    exec(source, scope)
    return scope["agent"]


def answering(text, messages, tools):
    return text


def chain(prompt, model):
    return ChatPromptTemplate.from_messages([("system", prompt), ("placeholder", "{m}")]) | model


def factory(model):
    return lambda tools: create_agent(model, tools)


def graph(model, *, loops=False, name=None, **compiled):
    steps = StateGraph(MessagesState)
    steps.add_node("speak", lambda state: {"messages": model.invoke(state["messages"])})
    steps.add_edge(START, "speak")
    steps.add_conditional_edges("speak", lambda _: "speak" if loops else END, ["speak", END])
    return steps.compile(name=name, **compiled)


def nested(model):
    steps = StateGraph(MessagesState)
    steps.add_node("inner", graph(model))
    steps.add_edge(START, "inner")
    return steps.compile()


class Speaker:
    def __init__(self, text, **own: Any) -> None:
        self.text = text
        self.heard: list[str] = []
        self.itself: Any = None
        vars(self).update(own)

    def __call__(self, messages, tools):
        return self.text

    def speak(self, messages, tools):
        return self.text


class Slotted:
    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text

    def __call__(self, messages, tools):
        return self.text


def with_tool(text):
    @tool
    def look_up() -> str:
        """Look something up."""
        return str(text)

    return create_agent(openai(), [look_up])


def supervised(name):
    helper = create_agent(openai(name), [], name="helper")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package uses what LangGraph has moved
        return create_supervisor([helper], model=openai("lead")).compile()


def swarming(prompt):
    alone = create_agent(openai(), [], name="alone", system_prompt=prompt)
    return create_swarm([alone], default_active_agent="alone").compile()


def functional(name):
    model = openai(name)

    @entrypoint(checkpointer=InMemorySaver())
    def agent(state):
        return {"messages": [model.invoke(state["messages"])]}

    return agent


def limited(limit):
    return create_agent(openai(), [], middleware=[ModelCallLimitMiddleware(run_limit=limit)])


def within_a_tool(model):
    inner: Any = create_agent(model, [])

    @tool
    def ask(question: str) -> str:
        """Ask another agent."""
        return str(inner.invoke({"messages": [("user", question)]}))

    return create_agent(openai(), [ask])


DIFFERING = {
    "models": lambda x: openai(model=x),
    "temperatures": lambda x: openai(temperature=0.1 if x == "one" else 0.2),
    "servers": lambda x: openai(base_url=f"http://{x}.example/v1"),
    "headers": lambda x: openai(default_headers={"X-Tenant": x}),
    "bound settings": lambda x: openai().bind(stop=[x]),
    "replies of a fake": lambda x: FakeListChatModel(responses=[x]),
    "replies that are iterated": lambda x: GenericFakeChatModel(messages=iter([AIMessage(x)])),
    "replies that are generated": lambda x: GenericFakeChatModel(messages=(y for y in [x])),
    "closures": closing_over,
    "models in closures": lambda x: closing_over(openai(x)),
    "defaults": with_default,
    "globals": greeting,
    "functions typed at a prompt": lambda x: typed(f"def agent(messages, tools): return '{x}'"),
    "functions they call": lambda x: typed(
        f"def help(): return '{x}'\ndef agent(messages, tools): return help()"
    ),
    "partials": lambda x: partial(answering, x),
    "objects": Speaker,
    "objects with slots": Slotted,
    "bound methods": lambda x: Speaker(x).speak,
    "prompts": lambda x: chain(x, openai()),
    "models in a chain": lambda x: chain("Help.", openai(x)),
    "functions in a chain": lambda x: RunnableLambda(closing_over(x)),
    "factories": lambda x: factory(openai(x)),
    "compiled agents": lambda x: create_agent(openai(x), []),
    "system prompts": lambda x: create_agent(openai(), [], system_prompt=x),
    "tools of a compiled agent": with_tool,
    "nodes": lambda x: graph(openai(x)),
    "nodes of an inner graph": lambda x: nested(openai(x)),
    "supervised agents": supervised,
    "agents of a swarm": swarming,
    "functional graphs": functional,
    "middleware": lambda x: limited(3 if x == "one" else 4),
    "agents as tools": lambda x: within_a_tool(openai(x)),
    "routes": lambda x: graph(openai(), loops=x == "one"),
}


@pytest.mark.parametrize("made", DIFFERING.values(), ids=DIFFERING.keys())
def test_agents_that_differ_have_two_identities_and_equal_ones_have_one(made):
    one, another, equal = (known(made(text)) for text in ("one", "two", "one"))
    assert one.sha256 != another.sha256
    assert one == equal
    assert not one.unread


def test_lambdas_of_one_line_are_told_apart():
    first, second = (lambda messages, tools: "one"), (lambda messages, tools: "two")
    assert fingerprint(first).sha256 != fingerprint(second).sha256


def test_a_global_of_a_module_counts_where_it_is_used(monkeypatch):
    def agent(messages, tools):
        return GREETING

    before = fingerprint(agent)
    monkeypatch.setattr(sys.modules[__name__], "GREETING", "Good day", raising=True)
    assert fingerprint(agent).sha256 != before.sha256
    assert fingerprint(agent).source == before.source


def test_an_attribute_is_no_global_of_the_same_name(monkeypatch):
    def agent(messages, tools):
        return messages.GREETING

    before = fingerprint(agent)
    monkeypatch.setattr(sys.modules[__name__], "GREETING", "Good day")
    assert fingerprint(agent) == before


def test_what_is_used_of_a_module_of_ones_own_counts(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_settings.py").write_text("TEXT = OTHER = 'Hello'")
    agent = typed("import own_settings\ndef agent(messages, tools): return own_settings.TEXT")
    found = [fingerprint(agent)]
    for name in ("OTHER", "TEXT"):
        monkeypatch.setattr(f"own_settings.{name}", "Bye")
        found.append(fingerprint(agent))
    sys.modules.pop("own_settings")
    assert found[0] == found[1] != found[2]


def test_weights_are_not_read_but_ask_for_a_name():
    Tensor = type("Tensor", (), {"__module__": "torch", "shape": (7, 7)})
    assert known(Speaker("x", layer=Tensor())).unread == ("layer holds weights",)


SECRETS = {
    "keys": lambda x: openai(key=f"sk-{x}-and-more"),
    "headers": lambda x: openai(default_headers={"Authorization": f"Bearer {x}"}),
    "logins": lambda x: openai(base_url=f"http://me:{x}@host.example/v1"),
    "closures": lambda x: closing_over({"api_key": x}),
    "shapes of keys": lambda x: closing_over([f"sk-{x}-0123456789"]),
    "callbacks": lambda x: openai(callbacks=[], tags=[x], metadata={"who": x}),
    "checkpointers": lambda _: graph(openai(), checkpointer=InMemorySaver()),
    "locks": lambda _: Speaker("x", lock=__import__("threading").Lock()),
}


@pytest.mark.parametrize("made", SECRETS.values(), ids=SECRETS.keys())
def test_what_opens_a_model_or_watches_it_is_no_part_of_it(made):
    one, another = known(made("first-secret")), known(made("second-secret"))
    assert one == another
    assert "secret" not in json.dumps(one)


def test_a_key_of_the_environment_is_no_part_of_an_agent(monkeypatch):
    made = []
    for key in ("value-number-one", "value-number-two"):
        monkeypatch.setenv("SOME_SERVICE_KEY", key)
        made.append(known(closing_over(["use", key])))
    assert made[0] == made[1]


def test_models_are_named_with_their_settings():
    found = known(create_agent(openai("gpt-x", temperature=0.5), []))
    named, _, settings = found.parts["models"].partition(" (")
    assert named.startswith("ChatOpenAI #")
    assert settings == "model_name=gpt-x, temperature=0.5)"


def test_what_cannot_be_read_is_told_apart_by_a_name_alone():
    one, another = closing_over(SimpleQueue()), closing_over(SimpleQueue())
    first, second = known(one), known(another)
    assert first.unread == ("value is a SimpleQueue",)
    assert first.parts == second.parts
    assert first.sha256 != second.sha256
    assert known(one) == first  # the same object, in the same process
    assert known(one, "mine") == known(another, "mine")
    assert known(one, "mine") != known(another, "yours")
    assert known(one, "mine").unread == ()


def test_what_an_agent_changes_in_playing_makes_no_other_agent():
    agent = Speaker("x")
    begun = known(agent)
    with playing(agent), playing(agent):
        agent.heard.append("Hello")
        assert known(agent) == begun
    assert known(agent) == begun
    agent.text = "y"
    assert known(agent) != begun


def test_an_object_that_holds_itself_is_read():
    one, another = Speaker("x"), Speaker("x")
    one.itself, another.itself = one, another
    assert known(one) == known(another)


def test_an_object_that_holds_too_much_asks_for_a_name(monkeypatch):
    monkeypatch.setattr("crab_graph.agents.fingerprint._MOST_VALUES", 500)
    found = known(Speaker("x", table=list(range(600))))
    assert found.unread == ("table holds more than can be read",)


@pytest.mark.parametrize("spec", ["solver", "openai:gpt-5", "http://host:8000/v1#model"])
def test_a_spec_that_says_it_all_needs_no_identity(spec):
    assert identify(spec) is None


def test_a_module_is_known_by_its_source_and_by_what_it_made(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    text = "import os\nPROMPT = os.environ['WHAT']\ndef make(tools): return lambda messages: PROMPT"
    found = []
    for name, what in (("own_a", "one"), ("own_a", "two"), ("own_a", "one")):
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.setenv("WHAT", what)
        sys.modules.pop(name, None)
        found.append(known(f"{name}:make"))
    sys.modules.pop("own_a")
    assert found[0] == found[2] != found[1]
    assert found[0].parts["source"] == found[1].parts["source"]


SCRIPT = """
import json, sys
from tests.agents import test_identity as t
from crab_graph.agents.identity import identify
made = {name: identify(make("one")).sha256 for name, make in t.DIFFERING.items()}
print(json.dumps(made))
"""


@pytest.mark.slow
def test_an_identity_is_the_same_in_another_process():
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    mine = {name: known(make("one")).sha256 for name, make in DIFFERING.items()}
    assert json.loads(run.stdout) == mine


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "one line of 1 to 80"), ("a\nb", "one line"), ("x" * 81, "one line"), ("hasty", "other")],
)
def test_a_name_by_which_nobody_could_tell_an_agent_is_refused(name, words):
    with pytest.raises(UsageError, match=words):
        check_name(name, "python:somewhere.agent")
