"""An agent of the OpenAI Agents SDK (`pip install openai-agents`).

Its tools are crab-graph's, which work where they are called; what it is handed is the talk so far,
so it needs no session of its own. From the command line, in this folder:

    crab-graph run bench --agent openai_agents_sdk:make --out runs/sdk
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import BaseTool
from openai import AsyncOpenAI

import crab_graph as cg
from crab_graph.agents.mock_service import open_mock_server

set_tracing_disabled(True)


def as_sdk_tool(tool: BaseTool) -> FunctionTool:
    """Return a tool of crab-graph as one of the SDK."""

    async def invoke(context: Any, arguments: str) -> str:
        return str(await tool.ainvoke(json.loads(arguments)))

    schema = dict(tool.args_schema)  # a JSON schema
    return FunctionTool(tool.name, tool.description, schema, invoke, strict_json_schema=False)


def as_items(messages: list[BaseMessage]) -> list[Any]:
    """Return what was said and called as input of the SDK."""
    items: list[Any] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            output = {"call_id": message.tool_call_id, "output": str(message.text)}
            items.append({"type": "function_call_output", **output})
            continue
        if message.text:
            role = "assistant" if isinstance(message, AIMessage) else "user"
            items.append({"role": role, "content": str(message.text)})
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            asked = {"call_id": call["id"], "arguments": json.dumps(call["args"])}
            items.append({"type": "function_call", "name": call["name"], **asked})
    return items


def make(tools: list[BaseTool]) -> Callable[[list[BaseMessage]], Any]:
    client = AsyncOpenAI(
        base_url=os.environ.get("EXAMPLE_MODEL_URL", "http://127.0.0.1:8765/v1"),
        api_key="not-needed-here",
    )
    model = OpenAIChatCompletionsModel(model="mock", openai_client=client)
    sdk_tools: list[Any] = [as_sdk_tool(tool) for tool in tools]

    async def respond(messages: list[BaseMessage]) -> str:
        policy = str(messages[0].text)
        agent: Agent[Any] = Agent("desk", instructions=policy, tools=sdk_tools, model=model)
        done = await Runner.run(agent, as_items(messages[1:]), max_turns=60)
        return str(done.final_output)

    return respond


def main(directory: str = "example-bench") -> str:
    bench = cg.generate_benchmark(directory, tasks=4, distractors=300, seed=0)
    with open_mock_server() as server:
        os.environ["EXAMPLE_MODEL_URL"] = server.address
        episode = cg.run_episode(bench[0], agent=make, user="generic")
    return f"{episode.outcome} after {len(episode.trace)} calls"


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
