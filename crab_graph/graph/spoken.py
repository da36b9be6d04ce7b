"""Transcript lines as LangChain messages, for whoever works on with what was said and done."""

from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from crab_graph.text.transcript_marks import PLACE, USER_NAME
from crab_graph.tools.registry import Owner


def spoken(lines: Iterable[Mapping[str, Any]], ids: Mapping[str, str] | None = None) -> list[Any]:
    """Return lines as LangChain messages; those known by `said_key` get these ids."""
    return [_message(line, (ids or {}).get(said_key(line))) for line in lines]


def said_key(line: Mapping[str, Any]) -> str:
    """Return what a message says and calls, in short."""
    names = [str(call["name"]) for call in line.get("tool_calls") or ()]
    return "\n".join([str(line["content"]).strip(), *names])


def _message(line: Mapping[str, Any], id: str | None) -> BaseMessage:
    role, content = line["role"], line["content"]
    about: dict[str, Any] = {"id": id}
    if "seq" in line:
        about["response_metadata"] = {PLACE: line["seq"]}
    if role == "tool":
        status = "error" if content.startswith('{"error":') else "success"
        call = line["tool_call_id"]
        return ToolMessage(content=content, tool_call_id=call, status=status, **about)
    if role == "system":
        return SystemMessage(content=content, **about)
    calls = line.get("tool_calls") or ()
    if role == "user" and not calls:
        return HumanMessage(content=content, **about)
    if line.get("owner", role) == Owner.USER:
        about["name"] = USER_NAME
    made = [call for call in calls if isinstance(call["arguments"], Mapping)]
    about["tool_calls"] = [
        {"name": call["name"], "args": dict(call["arguments"]), "id": call["id"]} for call in made
    ]
    about["invalid_tool_calls"] = [
        {"name": call["name"], "args": str(call["arguments"]), "id": call["id"], "error": None}
        for call in calls
        if call not in made
    ]
    return AIMessage(content=content, **about)
