"""What an agent or a callable user is handed: messages rebuilt from transcript lines, no more.

Ids count the messages of the view alone, so that a gap does not tell of private ones.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from crab_graph.agents.reply import PLACE_MARK, renamed
from crab_graph.graph.state import Message
from crab_graph.schema import canonical_json
from crab_graph.tools.registry import Owner


class View:
    """One party's messages, rebuilt only as far as they are new.

    Messages of earlier turns are the same objects again, in a new list: making hundreds of them
    anew at every step would cost more than the step.
    """

    def __init__(self, system: str, own_role: str) -> None:
        """Remember the system message, and who reads: `assistant` or `user`."""
        self._own_role = own_role
        self._system = SystemMessage(content=system, id="m0")
        self._built: tuple[list[Message], list[BaseMessage]] = ([], [])

    def of(self, lines: Sequence[Message]) -> list[BaseMessage]:
        """Return the system message and one message for each line."""
        known, built = self._built
        if known != lines[: len(known)]:
            known, built = [], []
        fresh = list(built)
        for line in lines[len(known) :]:
            fresh.append(self._message(line, f"m{len(fresh) + 1}"))
        self._built = (list(lines), fresh)
        return [self._system, *fresh]

    def _message(self, line: Mapping[str, Any], id: str) -> BaseMessage:
        role, content = line["role"], line["content"]
        if role == "tool":
            status = "error" if content.startswith('{"error":') else "success"
            call = line["tool_call_id"]
            return ToolMessage(content=content, tool_call_id=call, id=id, status=status)
        if role == self._own_role:
            calls = []
            for call in line.get("tool_calls", ()):
                given = call["arguments"]
                # LangChain takes objects only; others are shown to their author as they were.
                shown = dict(given) if isinstance(given, Mapping) else {"malformed": given}
                calls.append(
                    {"name": call["name"], "args": shown, "id": call["id"], "type": "tool_call"}
                )
            return AIMessage(**_own(line, calls), tool_calls=calls, id=id)
        return HumanMessage(content=content, id=id)


def _own(line: Mapping[str, Any], calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the content of a party's own message, with all that its provider wants to see again.

    Reasoning comes back signed as it was written; the calls in it have their ids of the episode.
    """
    own = line.get("own")
    if not own:
        return {"content": line["content"]}
    marks = [f"{PLACE_MARK}{place}" for place in range(len(calls))]
    own = renamed(own, marks, [call["id"] for call in calls])
    return {
        "content": own.get("content", line["content"]),
        "additional_kwargs": own.get("extra", {}),
        "response_metadata": own.get("metadata", {}),
    }


def openai_view(system: str, lines: Iterable[Message]) -> list[Message]:
    """Return what an agent saw of an episode as OpenAI writes it, its instructions first."""
    messages: list[Message] = [{"role": "system", "content": system}]
    for line in lines:
        if line["role"] == "assistant":
            messages.append(_as_openai_writes(line))
        elif line["role"] == "tool" and line.get("owner") == Owner.AGENT:
            messages.append({name: line[name] for name in ("role", "tool_call_id", "content")})
        elif line["role"] == "user" and not line.get("tool_calls"):
            messages.append({"role": "user", "content": line["content"]})
    return messages


def _as_openai_writes(line: Mapping[str, Any]) -> Message:
    message: Message = {"role": "assistant", "content": line["content"]}
    calls = []
    for call in line.get("tool_calls") or ():
        arguments = call["arguments"]
        if not isinstance(arguments, str):  # malformed ones were kept as they were written
            arguments = canonical_json(arguments)
        function = {"name": call["name"], "arguments": arguments}
        calls.append({"id": call["id"], "type": "function", "function": function})
    return {**message, "tool_calls": calls} if calls else message
