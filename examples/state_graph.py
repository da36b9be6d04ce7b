"""A `StateGraph` of your own with a tools node, built by a factory from the tools it is handed.

The tools work where they are called; a turn of the graph is one step of the episode. A graph that
stops before its tools (`interrupt_before=["tools"]`, as for a person's approval) is gone on with.
"""

import os
import sys
from typing import Any

from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

import crab_graph as cg


def build(tools: list[Any], **how: Any) -> Any:
    model = ChatOpenAI(
        model="mock",
        base_url=os.environ.get("EXAMPLE_MODEL_URL", "http://127.0.0.1:8765/v1"),
        api_key="not-needed-here",
    ).bind_tools(tools)

    def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", tools_condition)
    graph.add_edge("tools", "think")
    return graph.compile(**how)


def plain(tools: list[Any]) -> Any:
    return build(tools)


def stopping(tools: list[Any]) -> Any:
    return build(tools, interrupt_before=["tools"])


def main(directory: str = "example-bench") -> str:
    bench = cg.generate_benchmark(directory, tasks=4, distractors=300, seed=0)
    lines = []
    with cg.open_mock_server() as server:
        os.environ["EXAMPLE_MODEL_URL"] = server.address
        for make in (plain, stopping):
            episode = cg.run_episode(bench[0], agent=make, user="generic")
            lines.append(f"{make.__name__}: {episode.outcome}, {len(episode.trace)} calls")
    return "\n".join(lines)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
