"""The graph of an episode by every way in which LangGraph's users run one, and as a node."""

import asyncio
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from crab_graph.errors import StorageError, UsageError
from crab_graph.graph.build import Leg, open_seats, prepare_episode
from crab_graph.graph.state import transcript_of
from tests.graph.builders import (
    CANARY,
    CUSTOMER,
    STOP,
    asking_agent,
    build_task,
    patient_user,
    scripted,
)

PRIVATE = (CANARY, "get_my_payment_cards", "not to be said", "user_state")


def graph(agent=None, user=None, checkpointer=None, **settings) -> Any:
    """Return the graph of an episode that nobody grades: its domain is none of a benchmark."""
    task, setup = open_seats(build_task(), settings)
    players = (agent or asking_agent(), user or patient_user())
    return prepare_episode(task, *players, checkpointer, setup, Leg()).compile()


def long_graph() -> Any:
    """Return an episode of more steps than LangChain's own recursion limit."""
    return graph(scripted("Yes?"), scripted(*["Well"] * 20, STOP))


def collected(stream) -> list[Any]:
    async def collect():
        return [one async for one in stream]

    return asyncio.run(collect())


WAYS = {
    "invoke": lambda graph: graph.invoke({}),
    "ainvoke": lambda graph: asyncio.run(graph.ainvoke({})),
    "low limit": lambda graph: graph.invoke({}, {"recursion_limit": 25}),
    "with_config": lambda graph: graph.with_config(recursion_limit=5, tags=["a"]).invoke({}),
    "batch": lambda graph: graph.batch([{}, {}])[1],
    "abatch": lambda graph: asyncio.run(graph.abatch([{}, {}]))[1],
    "sequence": lambda graph: (RunnableLambda(lambda _: {}) | graph).invoke("go"),
    "reversed": lambda graph: (graph | RunnableLambda(lambda state: state)).invoke({}),
    "stream": lambda graph: list(graph.stream({}, stream_mode="values"))[-1],
    "astream": lambda graph: collected(graph.astream({}, stream_mode="values"))[-1],
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_running_a_graph_comes_to_the_same_end(way):
    state = WAYS[way](long_graph())
    assert state["status"] == "ended" and len(transcript_of(state)) == 41


def test_events_are_streamed_to_the_end_and_tell_nothing_private():
    events = collected(graph().astream_events({}, version="v2"))
    kinds = [(one["event"], one["name"]) for one in events if one["event"] != "on_chain_stream"]
    assert kinds[0] == ("on_chain_start", "S1-001.custom.0")
    assert kinds[-1] == ("on_chain_end", "S1-001.custom.0")
    assert kinds.count(("on_chain_end", "agent")) == 4
    shown = [one["data"] for one in events if one["event"] != "on_chain_stream"]
    assert not [word for word in PRIVATE if word in repr(shown)]


def test_messages_are_streamed_token_by_token_and_each_once():
    model = GenericFakeChatModel(messages=iter([AIMessage("Good day to you"), AIMessage("Bye")]))

    def agent(messages, tools):
        return model.invoke(messages)

    user = scripted("Hello", "Go on", STOP)
    chunks = [one for one, _ in graph(agent, user).stream({}, stream_mode="messages")]
    said = [one for one in chunks if isinstance(one, AIMessage)]
    assert "".join(one.text for one in said) == "Good day to youBye"
    assert len([one for one in said if isinstance(one, AIMessageChunk)]) > 4
    assert [one.text for one in chunks if isinstance(one, HumanMessage)] == ["Hello", "Go on", STOP]


def test_messages_of_tools_are_streamed_and_those_of_the_user_are_not():
    chunks = collected(graph().astream({}, stream_mode="messages"))
    kinds = [(type(one), about["langgraph_node"]) for one, about in chunks]
    assert kinds.count((ToolMessage, "environment")) == 2
    assert len(kinds) == 10
    assert CANARY not in repr(chunks)


@pytest.mark.parametrize("given", [[HumanMessage("Hi")], {"messages": [HumanMessage("Hi")]}, "Hi"])
def test_an_episode_that_is_begun_with_something_says_how_it_is_begun(given):
    with pytest.raises(UsageError, match=r"an episode begins with \{\}.*update_state"):
        graph().invoke(given)


class Witness(BaseCallbackHandler):
    """Keeps all that a handler is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.roots: list[Any] = []
        self.models: list[Any] = []

    def on_chain_start(self, serialized, inputs, *, parent_run_id=None, **about):
        self.told.append((inputs, about))
        if parent_run_id is None:
            self.roots.append(about)

    def on_chain_end(self, outputs, **about):
        self.told.append((outputs, about))

    def on_chat_model_start(self, serialized, messages, **about):
        self.models.append(about)


def asking_model() -> Any:
    return GenericFakeChatModel(messages=iter([AIMessage("Yes?")] * 9))


def function_agent() -> Any:
    model = asking_model()
    return lambda messages, tools: model.invoke(messages)


def compiled_agent() -> Any:
    model = asking_model()
    builder = StateGraph(MessagesState)
    builder.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    builder.add_edge(START, "model")
    return builder.compile()


def runnable_agent() -> Any:
    model = asking_model()
    return RunnableLambda(lambda messages: model.invoke(messages))


def coroutine_agent() -> Any:
    model = asking_model()

    async def agent(messages, tools):
        return await model.ainvoke(messages)

    return agent


AGENTS = {
    "function": function_agent,
    "compiled": compiled_agent,
    "runnable": runnable_agent,
    "coroutine": coroutine_agent,
}


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("kind", AGENTS)
def test_callbacks_tags_and_metadata_reach_the_models_of_an_agent(kind, is_async):
    witness = Witness()
    config: Any = {"callbacks": [witness], "tags": ["mine"], "metadata": {"ticket": 7}}
    played = graph(AGENTS[kind](), scripted("Hello", "Well?", STOP))
    if is_async:
        asyncio.run(played.ainvoke({}, config))
    else:
        played.invoke({}, config)
    assert len(witness.models) == 2
    assert all("mine" in about["tags"] for about in witness.models)
    assert all(about["metadata"]["ticket"] == 7 for about in witness.models)
    assert all("episode_id" not in about["metadata"] for about in witness.models)
    (root,) = witness.roots
    assert root["name"] == root["metadata"]["episode_id"] == "S1-001.custom.0"


def test_handlers_are_told_nothing_that_only_the_user_knows():
    witness = Witness()
    user_model = asking_model()

    def user(messages, tools):
        user_model.invoke(messages)
        return patient_user()(messages, tools)

    graph(user=user).invoke({}, {"callbacks": [witness]})
    assert not [word for word in PRIVATE if word in repr(witness.told)]
    assert "Your number is changed." in repr(witness.told)
    assert not witness.models


def test_handlers_that_are_bound_to_a_graph_are_told_the_same():
    witness = Witness()
    bound = graph(function_agent(), patient_user()).with_config(callbacks=[witness], tags=["mine"])
    bound.with_config(metadata={"ticket": 7}).invoke({})
    assert len(witness.models) == 3 and len(witness.roots) == 1
    assert all("mine" in about["tags"] for about in witness.models)
    assert witness.models[0]["metadata"]["ticket"] == 7
    assert not [word for word in PRIVATE if word in repr(witness.told)]


def test_a_stream_that_is_left_ends_its_run():
    left: list[Any] = []

    class Ended(BaseCallbackHandler):
        def on_chain_error(self, error, **about):
            left.append(type(error))

    stream = graph().stream({}, {"callbacks": [Ended()]})
    next(stream)
    stream.close()
    assert left == [GeneratorExit]


def test_an_agent_is_told_tags_and_metadata_and_not_the_state():
    seen: list[Any] = []

    def agent(messages, config):
        seen.append(config)
        return "Yes?"

    saver = InMemorySaver()
    played = graph(RunnableLambda(agent), scripted("Hello", STOP), checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "t", "model": "m"}, "metadata": {"ticket": 7}}
    played.invoke({}, {**config, "tags": ["mine"]})
    assert seen[0]["tags"] == ["mine"] and seen[0]["metadata"]["ticket"] == 7
    assert seen[0]["configurable"] == {"model": "m"}
    assert "thread_id" not in repr(seen[0]["metadata"])


class Own(MessagesState):
    """The state of a graph of one's own."""

    status: str
    turn: int
    verdict: dict[str, Any]


def parent(checkpointer=None, **options) -> Any:
    builder = StateGraph(Own)
    builder.add_node("episode", graph(**options))
    builder.add_edge(START, "episode")
    builder.add_edge("episode", END)
    return builder.compile(checkpointer)


BEGIN: Any = {"messages": [HumanMessage("go")], "status": "new", "turn": 3}


@pytest.mark.parametrize("is_async", [False, True])
def test_an_episode_is_a_node_of_a_graph_of_messages(is_async):
    witness = Witness()
    config: Any = {"callbacks": [witness]}
    if is_async:
        state = asyncio.run(parent().ainvoke(BEGIN, config))
    else:
        state = parent().invoke(BEGIN, config)
    said = state["messages"]
    assert [one.type for one in said[:4]] == ["human", "human", "ai", "human"]
    assert said[4].tool_calls[0]["args"] == {"customer_id": CUSTOMER}
    assert state["status"] == "ended" and state["turn"] == 3
    assert not [word for word in PRIVATE if word in repr((state, witness.told))]
    (root,) = witness.roots
    assert root["name"] == "LangGraph"


def test_an_episode_is_a_node_whose_events_are_streamed():
    events = collected(parent().astream_events(BEGIN, version="v2"))
    assert events[-1]["data"]["output"]["status"] == "ended"
    kept = [one["data"] for one in events if one["event"] == "on_chain_end"]
    assert not [word for word in PRIVATE if word in repr(kept)]


def test_a_node_that_was_stopped_goes_on_where_it_stopped():
    asked = []

    def agent(messages, tools):
        asked.append(len(messages))
        if len(asked) == 3:
            raise StorageError("the disk is full")
        return asking_agent()(messages, tools)

    own = parent(InMemorySaver(), agent=agent)
    config: Any = {"configurable": {"thread_id": "t"}}
    with pytest.raises(StorageError):
        own.invoke(BEGIN, config, durability="sync")
    state = own.invoke(None, config, durability="sync")
    assert state["status"] == "ended"
    assert len(asked) == 5


def test_a_person_whom_an_agent_asks_is_asked_by_the_graph_around():
    builder = StateGraph(MessagesState)
    builder.add_node("ask", lambda _: {"messages": [AIMessage(f"Said: {interrupt('May I?')}")]})
    builder.add_edge(START, "ask")
    own = parent(InMemorySaver(), agent=builder.compile(), user=scripted("Hello", STOP))
    config: Any = {"configurable": {"thread_id": "t"}}
    assert own.invoke(BEGIN, config)["__interrupt__"][0].value == "May I?"
    state = own.invoke(Command(resume="yes"), config)
    assert [one.text for one in state["messages"][1:]] == ["Hello", "Said: yes", STOP]


def test_a_graph_that_a_node_runs_by_itself_can_be_graded_there():
    seen = []

    def node(state: MessagesState):
        seen.append(graph().invoke({}))
        return {}

    builder = StateGraph(MessagesState)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.compile().invoke({"messages": []})
    assert len(transcript_of(seen[0].state)) == 14
