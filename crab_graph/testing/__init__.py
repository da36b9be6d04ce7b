"""Test doubles that ship with the package: models that say what a script tells them."""

from crab_graph.testing.faults import Attempts, FaultyAnswer
from crab_graph.testing.scripted import ScriptedChatModel, tool_call_reply
from crab_graph.testing.server import Answer, ScriptedServer

__all__ = [
    "Answer",
    "Attempts",
    "FaultyAnswer",
    "ScriptedChatModel",
    "ScriptedServer",
    "tool_call_reply",
]
