"""An episode as an agent sees it: what both sides said, the calls made, what they returned."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class Action(NamedTuple):
    """A tool call an agent wants to make."""

    name: str
    arguments: dict[str, Any]

    @property
    def key(self) -> str:
        """What is the same for equal calls."""
        return f"{self.name} {json.dumps(self.arguments, sort_keys=True)}"


class Observation(NamedTuple):
    """A call that was made, with its result; a failed call's result has `error`."""

    call: Action
    result: dict[str, Any]
    position: int

    @property
    def is_ok(self) -> bool:
        """Whether the call succeeded."""
        return "error" not in self.result


class Said(NamedTuple):
    """A visible turn."""

    is_user: bool
    text: str
    position: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything an agent remembers, recomputed from its messages.

    Attributes:
        today: Today's date, as the policy tells it.
        turns: Visible turns of both sides.
        outcomes: Calls with their results, in order.
        results: The last result of each call, by the call's key.
    """

    today: str
    turns: tuple[Said, ...]
    outcomes: tuple[Observation, ...]
    results: Mapping[str, dict[str, Any]]

    @property
    def user_texts(self) -> list[str]:
        """What the user said, in order."""
        return [turn.text for turn in self.turns if turn.is_user]

    @property
    def last_agent_text(self) -> str:
        """What the agent said last; empty at first."""
        return next((turn.text for turn in reversed(self.turns) if not turn.is_user), "")

    @property
    def last_user_text(self) -> str:
        """What the user said last."""
        return next((turn.text for turn in reversed(self.turns) if turn.is_user), "")

    def of(self, *names: str) -> list[Observation]:
        """Return the outcomes of some tools."""
        return [outcome for outcome in self.outcomes if outcome.call.name in names]

    def result(self, call: Action) -> dict[str, Any] | None:
        """Return the last result of exactly this call, if it was made."""
        return self.results.get(call.key)

    def said_since(self, position: int) -> str:
        """Return what the user said after a position, in one text."""
        return "\n".join(
            turn.text for turn in self.turns if turn.is_user and turn.position > position
        )

    def position_of(self, text: str) -> int | None:
        """Return where the agent last said exactly this."""
        for turn in reversed(self.turns):
            if not turn.is_user and turn.text == text:
                return turn.position
        return None


def read_conversation(messages: Sequence[BaseMessage]) -> Conversation:
    """Read an agent's messages; text that stood beside tool calls was never delivered."""
    today = ""
    turns: list[Said] = []
    outcomes: list[Observation] = []
    calls: dict[str, Action] = {}
    for position, message in enumerate(messages):
        if isinstance(message, SystemMessage):
            found = _ISO_DATE.search(_text(message))
            today = today or (found[0] if found else "")
        elif isinstance(message, HumanMessage):
            turns.append(Said(True, _text(message), position))
        elif isinstance(message, AIMessage):
            for call in message.tool_calls:
                calls[str(call["id"])] = Action(call["name"], call["args"])
            if not message.tool_calls:
                turns.append(Said(False, _text(message), position))
        elif isinstance(message, ToolMessage) and message.tool_call_id in calls:
            result = _json_object(_text(message))
            outcomes.append(Observation(calls[message.tool_call_id], result, position))
    results = {outcome.call.key: outcome.result for outcome in outcomes}
    return Conversation(today, tuple(turns), tuple(outcomes), results)


def ask_for(calls: Sequence[Action], made: int) -> AIMessage:
    """Return a message that makes calls; `made` is how many were made before, for their ids."""
    return AIMessage(
        content="",
        tool_calls=[
            {"id": f"call_{made + n}", "name": call.name, "args": call.arguments}
            for n, call in enumerate(calls, start=1)
        ],
    )


def _text(message: BaseMessage) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    parts = [part if isinstance(part, str) else str(part.get("text", "")) for part in content]
    return "".join(parts)


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return {"error": "unreadable", "message": text}
    return dict(value) if isinstance(value, Mapping) else {"value": value}
