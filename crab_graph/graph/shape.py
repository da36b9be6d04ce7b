"""The shape of every episode's graph: three nodes, and edges that follow whose turn it is.

It is compiled once. An episode's graph is a copy whose nodes are its own, which takes a hundredth
of the time: LangGraph takes every function apart in search of graphs that it calls.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from crab_graph.graph.nodes import EpisodeNodes
from crab_graph.graph.state import AgentInput, EpisodeState, is_finished

EpisodeGraph = CompiledStateGraph[Any, Any, Any, Any]

Place = Literal["agent", "user", "environment", "__end__"]


def graph_of(
    nodes: EpisodeNodes, checkpointer: BaseCheckpointSaver[Any] | None, recursion_limit: int
) -> EpisodeGraph:
    """Return the graph of an episode.

    Args:
        nodes: The episode's own nodes.
        checkpointer: Where LangGraph keeps its checkpoints, if anywhere.
        recursion_limit: Supersteps after which LangGraph gives up.
    """
    shape = _shape()
    own = {"agent": nodes.agent, "user": nodes.user, "environment": nodes.environment}
    bound = {name: shape.nodes[name].copy({"bound": _Plain(own[name])}) for name in own}
    changed = {
        "nodes": {**shape.nodes, **bound},
        "checkpointer": checkpointer,
        "config": RunnableConfig(recursion_limit=recursion_limit),
    }
    return shape.copy(changed)


def route(state: EpisodeState) -> Place:
    """Return whose turn it is; edges, not commands, so that a copied state knows it too."""
    if is_finished(state):
        return "__end__"
    match state["turn"]:
        case "agent":
            return "agent"
        case "user":
            return "user"
        case _:
            return "environment"


class _Plain(Runnable[Any, Any]):
    """A function as LangGraph calls it; it traces others, and takes them apart."""

    name = None

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self._function(input)


@cache
def _shape() -> EpisodeGraph:
    graph = StateGraph(EpisodeState)
    graph.add_node("agent", _Plain(_unbound), input_schema=AgentInput)
    graph.add_node("user", _Plain(_unbound))
    graph.add_node("environment", _Plain(_unbound))
    graph.add_conditional_edges(START, _opener, ["user", "agent", "environment", END])
    turn = _Plain(route)
    graph.add_conditional_edges("agent", turn, ["user", "environment", END])
    graph.add_conditional_edges("user", turn, ["agent", "environment", END])
    graph.add_conditional_edges("environment", turn, ["agent", "user", END])
    return graph.compile(name="episode")


def _unbound(state: Any) -> Any:
    raise RuntimeError("a graph is played with the nodes of an episode")


def _opener(state: EpisodeState) -> Place:
    """Return who begins: the user, or whoever's turn it is in a state that was handed in."""
    return route(state) if "turn" in state else "user"
