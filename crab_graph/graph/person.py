"""A person in either seat: the graph stops with `interrupt()`, and goes on with what was typed.

A node that stops runs again from its start when it goes on, so nothing here has effects before the
stop. The value of the stop says what is new; the answer is a text, or calls of the seat's tools:
`{"calls": [{"name": …, "arguments": {…}}]}`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.types import interrupt

from crab_graph.agents.adapters import Agent, Respond
from crab_graph.agents.reply import Call, Reply, clean_text, plain
from crab_graph.errors import UsageError
from crab_graph.personas.condition import Condition
from crab_graph.tools.registry import Owner, ToolRegistry

PERSON = "person"
"""How a person is recorded, as an agent's name or a user's engine."""

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SeatedUser:
    """A person who plays the user under a condition."""

    condition: Condition


def ask_user(messages: Sequence[Message], tools: Iterable[str]) -> Reply:
    """Return what the person who plays the user does, stopping until it is known."""
    return _ask(Owner.USER, _since_own_turn(messages, "user"), tools)


def _open(registry: ToolRegistry) -> Respond:
    tools = registry.names(Owner.AGENT)

    def respond(messages: list[BaseMessage]) -> Reply:
        roles = {"human": "user", "ai": "assistant"}
        seen = messages[1:]
        lines = [{"role": roles.get(one.type, one.type), "content": str(one.text)} for one in seen]
        return _ask(Owner.AGENT, _since_own_turn(lines, "assistant"), tools)

    return respond


PERSON_AGENT = Agent(PERSON, False, _open)
"""An agent that is a person; unlike any other it needs the graph's own context, to stop in it."""


def read_answer(answer: object) -> Reply:
    """Return what was typed, as a reply.

    Raises:
        UsageError: it is neither a text nor calls.
    """
    if isinstance(answer, str):
        return Reply(clean_text(answer))
    if isinstance(answer, Mapping) and isinstance(answer.get("text", ""), str):
        calls = answer.get("calls", ())
        if isinstance(calls, Sequence) and all(map(_is_call, calls)):
            made = (Call(clean_text(one["name"]), plain(one.get("arguments", {}))) for one in calls)
            return Reply(clean_text(answer.get("text", "")), tuple(made))
    raise UsageError(
        "an answer is a text, or an object with 'text' and 'calls', each call with 'name' and "
        "'arguments'"
    )


def is_seats(asked: object) -> bool:
    """Return whether the value of a stop is a seat's, and no question of the agent's own."""
    return isinstance(asked, Mapping) and asked.keys() == {"seat", "messages", "tools"}


def _ask(seat: Owner, messages: list[Message], tools: Iterable[str]) -> Reply:
    shown = {"seat": str(seat), "messages": messages, "tools": sorted(tools)}
    return read_answer(interrupt(shown))


def _is_call(value: object) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        return False
    return isinstance(value.get("arguments", {}), Mapping)


def _since_own_turn(messages: Sequence[Message], role: str) -> list[Message]:
    """Return what came after a party's own last message."""
    own = [place for place, line in enumerate(messages) if line["role"] == role]
    return list(messages[own[-1] + 1 :] if own else messages)
