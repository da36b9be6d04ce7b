"""LangChain's `create_agent` with middleware and a tool of its own, made by a factory.

`make(tools)` is handed crab-graph's tools for each episode. The environment runs their calls and
records them; the agent's own tool runs inside. From the command line, in this folder:

    crab-graph run bench --agent create_agent_middleware:make --out runs/mine
"""

import os
import sys
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelCallLimitMiddleware
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

import crab_graph as cg

SEEN: list[str] = []


@tool
def convert_currency(dollars: float) -> str:
    """Convert US dollars to euros."""
    return f"{dollars * 0.9:.2f} EUR"


class Watch(AgentMiddleware):
    """Notes which tools are called; both forms, or the agent could not run asynchronously."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        SEEN.append(request.tool_call["name"])
        return handler(request)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        SEEN.append(request.tool_call["name"])
        return await handler(request)


def make(tools: list[Any]) -> Any:
    model = ChatOpenAI(
        model="mock",
        base_url=os.environ.get("EXAMPLE_MODEL_URL", "http://127.0.0.1:8765/v1"),
        api_key="not-needed-here",
    )
    middleware: list[Any] = [Watch(), ModelCallLimitMiddleware(run_limit=50)]
    return create_agent(model, [*tools, convert_currency], middleware=middleware)


def main(directory: str = "example-bench") -> str:
    bench = cg.generate_benchmark(directory, tasks=4, distractors=300, seed=0)
    with cg.open_mock_server() as server:
        os.environ["EXAMPLE_MODEL_URL"] = server.address
        episode = cg.run_episode(bench[0], agent=make, user="ruse")
    return f"{episode.outcome}: the middleware saw {len(SEEN)} of {len(episode.trace)} calls"


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
