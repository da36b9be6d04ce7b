"""An episode as an agent sees it: what both sides said, the calls made, what they returned."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

_REMEMBERED = 1000
"""Results that are not read anew with each message; nobody changes one."""

_PASSING = ("timed_out", "price_expired", "out_of_date")
"""Errors after which the same call may go through."""

_SLIP = "can make a slip"
"""Words of the policy, where bookings can be stored with one."""

_QUOTED = re.compile(r"'([^']+)'")
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


class Conversation(NamedTuple):
    """Everything an agent remembers, recomputed from its messages.

    `results` are the last ones of each call that stand, by its key; `today` is what the policy
    tells, and `minds_slips` whether it asks to see what bookings hold.
    """

    today: str
    minds_slips: bool
    turns: tuple[Said, ...]
    observations: tuple[Observation, ...]
    results: Mapping[str, dict[str, Any]]

    @property
    def user_texts(self) -> list[str]:
        """What the user said, in order."""
        return [turn.text for turn in self.turns if turn.is_user]

    @property
    def agent_texts(self) -> list[str]:
        """What the agent said, in order."""
        return [turn.text for turn in self.turns if not turn.is_user]

    @property
    def last_agent_text(self) -> str:
        """What the agent said last; empty at first."""
        return (self.agent_texts or [""])[-1]

    @property
    def last_user_text(self) -> str:
        """What the user said last."""
        return (self.user_texts or [""])[-1]

    def of(self, *names: str) -> list[Observation]:
        """Return what some tools returned."""
        return [one for one in self.observations if one.call.name in names]

    def result(self, call: Action) -> dict[str, Any] | None:
        """Return the last result of exactly this call, if it was made."""
        return self.results.get(call.key)

    def said_since(self, position: int) -> str:
        """Return what the user said after a position, in one text."""
        return "\n".join(
            turn.text for turn in self.turns if turn.is_user and turn.position > position
        )

    def answer_to(self, position: int) -> str | None:
        """Return what the user answered to a message that stands at a position."""
        said = (turn.text for turn in self.turns if turn.is_user and turn.position > position)
        return next(said, None)

    def has_said(self, words: str) -> bool:
        """Tell whether a message of the agent had exactly these words in it."""
        return any(words in text for text in self.agent_texts)

    def position_of(self, text: str) -> int | None:
        """Return where the agent last said exactly this."""
        said = [turn.position for turn in self.turns if not turn.is_user and turn.text == text]
        return said[-1] if said else None

    def position_of_end(self, text: str) -> int | None:
        """Return where the agent last said something that ended with exactly this."""
        own = [turn for turn in self.turns if not turn.is_user and turn.text.endswith(text)]
        return own[-1].position if own else None


def read_conversation(messages: Sequence[BaseMessage]) -> Conversation:
    """Read an agent's messages; text that stood beside tool calls was never delivered."""
    today, minds_slips = "", False
    turns: list[Said] = []
    observations: list[Observation] = []
    calls: dict[str, Action] = {}
    for position, message in enumerate(messages):
        text = str(message.text)
        if isinstance(message, SystemMessage):
            found = _ISO_DATE.search(text)
            today = today or (found[0] if found else "")
            minds_slips = minds_slips or _SLIP in text
        elif isinstance(message, HumanMessage):
            turns.append(Said(True, text, position))
        elif isinstance(message, AIMessage):
            calls |= {
                str(one["id"]): Action(one["name"], one["args"]) for one in message.tool_calls
            }
            if not message.tool_calls:
                turns.append(Said(False, text, position))
        elif isinstance(message, ToolMessage) and message.tool_call_id in calls:
            call = calls[message.tool_call_id]
            observations.append(Observation(call, _json_object(text), position))
    results: dict[str, dict[str, Any]] = {}
    for one in observations:
        _put_down(results, one)
    return Conversation(today, minds_slips, tuple(turns), tuple(observations), results)


def _put_down(results: dict[str, dict[str, Any]], one: Observation) -> None:
    """Note a result; what is worth a new try has none, nor what showed an offer of before."""
    error = one.result.get("error")
    if error in _PASSING:
        results.pop(one.call.key, None)
    else:
        results[one.call.key] = one.result
    if error in ("price_expired", "sold_out"):
        offer = json.dumps(quoted(one.result))
        for key in [key for key, known in results.items() if offer in json.dumps(known)]:
            del results[key]


def quoted(result: Mapping[str, Any]) -> str:
    """Return the id that an error is about: the first one that it quotes, if any."""
    found = _QUOTED.search(str(result.get("message", "")))
    return found[1] if found else ""


def ask_for(calls: Sequence[Action], made: int) -> AIMessage:
    """Return a message that makes calls; `made` is how many were made before, for their ids."""
    return AIMessage(
        content="",
        tool_calls=[
            {"id": f"call_{number}", "name": call.name, "args": call.arguments}
            for number, call in enumerate(calls, start=made + 1)
        ],
    )


@lru_cache(maxsize=_REMEMBERED)
def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return {"error": "unreadable", "message": text}
    return dict(value) if isinstance(value, Mapping) else {"value": value}
