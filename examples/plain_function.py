"""A plain function `f(messages, tools)`; it needs no model and no framework.

It asks for tools by returning tool calls, and never runs one. `async def` works as well. From the
command line, in this folder:

    crab-graph run bench --agent plain_function:careful --out runs/careful
"""

import sys
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

import crab_graph as cg


def careful(messages: list[BaseMessage], tools: list[Any]) -> AIMessage | str:
    """Ask for the customer id, look the customer up, then hand over to a human."""
    last = messages[-1]
    if isinstance(last, HumanMessage):
        customer = next((w.strip(".,") for w in str(last.text).split() if w[:3] == "CU-"), None)
        if customer is None:
            return "Gladly. What is your customer id?"
        call = {"id": "1", "name": "get_customer_information", "args": {"customer_id": customer}}
        return AIMessage("", tool_calls=[call])
    if "transfer" not in str(last.text):
        summary = {"summary": "A customer wants a new trip."}
        return AIMessage("", tool_calls=[{"id": "2", "name": tools_named(tools), "args": summary}])
    return "A colleague will go on from here."


def tools_named(tools: list[Any], part: str = "transfer") -> str:
    """Return the name of the tool with this word in its name."""
    return next(str(tool.name) for tool in tools if part in tool.name)


def main(directory: str = "example-bench") -> str:
    bench = cg.generate_benchmark(directory, tasks=4, distractors=300, seed=0)
    episode = cg.run_episode(bench[0], agent=careful, user="ruse")
    return f"{episode.outcome}: {episode.primary_failure}"


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
