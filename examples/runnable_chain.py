"""Any `Runnable` from messages to a message: here a chain that keeps the history short.

A factory is handed the tools, so that the chain can bind them to its model.
"""

import os
import sys
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI

import crab_graph as cg

LONGEST = 400


def shorten(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Keep the policy and the latest messages; a real agent would sum up the rest."""
    return [messages[0], *messages[1:][-LONGEST:]]


def make(tools: list[Any]) -> Any:
    model = ChatOpenAI(
        model="mock",
        base_url=os.environ.get("EXAMPLE_MODEL_URL", "http://127.0.0.1:8765/v1"),
        api_key="not-needed-here",
    )
    return RunnableLambda(shorten) | model.bind_tools(tools)


def main(directory: str = "example-bench") -> str:
    bench = cg.generate_benchmark(directory, tasks=4, distractors=300, seed=0)
    with cg.open_mock_server() as server:
        os.environ["EXAMPLE_MODEL_URL"] = server.address
        episode = cg.run_episode(bench[0], agent=make, user="generic")
    return f"{episode.outcome} after {len(episode.messages)} messages"


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
