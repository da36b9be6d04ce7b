"""Test doubles that ship with the package: models that say what a script tells them."""

from crab_graph.testing.scripted import ScriptedChatModel, tool_call_reply

__all__ = ["ScriptedChatModel", "tool_call_reply"]
