"""An agent with a graph of its own, whose model is opened with the key of the environment."""

import os
from typing import Any

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

ADDRESS = "CRAB_TEST_ADDRESS"


def make(tools: Any) -> Any:
    """Return an agent of LangChain's that asks the server of the environment."""
    address = {"base_url": os.environ[ADDRESS], "max_retries": 0}
    return create_agent(ChatOpenAI(model="talking-of-one's-own", **address), tools)
