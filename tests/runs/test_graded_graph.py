"""The public graph of an episode of a real task: what it hands out, and what tracers are sent."""

from typing import Any

from langgraph.graph import START, MessagesState, StateGraph

import crab_graph as cg


class Own(MessagesState):
    verdict: dict[str, Any]


def test_a_node_hands_out_its_verdict(bench):
    builder = StateGraph(Own)
    builder.add_node("episode", cg.build_graph(bench[0], agent="solver", user="generic"))
    builder.add_edge(START, "episode")
    begin: Any = {"messages": []}
    state = builder.compile().invoke(begin)
    played = cg.run_episode(bench[0], agent="solver", user="generic")
    assert state["verdict"]["outcome"] == "pass"
    assert state["verdict"]["checks"] == played.checks
