"""An agent of Pydantic AI (`pip install 'pydantic-ai-slim[openai]'`).

Its tools are crab-graph's, which work where they are called; what it is handed is the talk so far,
as Pydantic AI writes it. From the command line, in this folder:

    crab-graph run bench --agent pydantic_ai_agent:make --out runs/pydantic-ai
"""

import os
import sys
from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

import crab_graph as cg
from crab_graph.agents.mock_service import open_mock_server


def as_their_tool(tool: BaseTool) -> Tool[None]:
    """Return a tool of crab-graph as one of Pydantic AI."""

    async def invoke(**arguments: Any) -> str:
        return str(await tool.ainvoke(arguments))

    return Tool.from_schema(invoke, tool.name, tool.description, dict(tool.args_schema))


def as_history(messages: list[BaseMessage]) -> list[ModelMessage]:
    """Return what was said and called as Pydantic AI writes it."""
    history: list[ModelMessage] = []
    names: dict[str | None, str] = {}
    for message in messages:
        text = str(message.text)
        if isinstance(message, AIMessage):
            names |= {call["id"]: call["name"] for call in message.tool_calls}
            calls = [ToolCallPart(c["name"], c["args"], c["id"]) for c in message.tool_calls]
            history.append(ModelResponse([*([TextPart(text)] if text else []), *calls]))
        elif isinstance(message, ToolMessage):
            id = message.tool_call_id
            history.append(ModelRequest([ToolReturnPart(names[id], text, id)]))
        elif isinstance(message, SystemMessage):
            history.append(ModelRequest([SystemPromptPart(text)]))
        else:
            history.append(ModelRequest([UserPromptPart(text)]))
    return history


def make(tools: list[BaseTool]) -> Callable[[list[BaseMessage]], Any]:
    provider = OpenAIProvider(
        base_url=os.environ.get("EXAMPLE_MODEL_URL", "http://127.0.0.1:8765/v1"),
        api_key="not-needed-here",
    )
    model = OpenAIChatModel("mock", provider=provider)
    agent = Agent(model, tools=[as_their_tool(tool) for tool in tools])

    async def respond(messages: list[BaseMessage]) -> str:
        done = await agent.run(message_history=as_history(messages))
        return done.output

    return respond


def main(directory: str = "example-bench") -> str:
    bench = cg.generate_benchmark(directory, tasks=4, distractors=300, seed=0)
    with open_mock_server() as server:
        os.environ["EXAMPLE_MODEL_URL"] = server.address
        episode = cg.run_episode(bench[0], agent=make, user="generic")
    return f"{episode.outcome} after {len(episode.trace)} calls"


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
