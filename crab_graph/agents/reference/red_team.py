"""Agents that must not pass: evidence that checks cannot be talked into it (rulebook §13)."""

from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool


def stay_silent(messages: list[BaseMessage], tools: list[BaseTool]) -> str:
    """RT01: say nothing and do nothing."""
    del messages, tools
    return ""
