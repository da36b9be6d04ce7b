"""A user played by a chat model: the composed prompt drives it, rules guard it (paper section 3.3).

The model is a function from messages to a reply, so that nothing here knows where it comes from. A
reply that breaks a rule is asked for once more, with the reason; if that one breaks a rule too, it
is delivered as it is, and kept in the user's state as the user's fault.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from crab_graph.personas.engines.rules import Message, UserStep
from crab_graph.personas.facts import Fact
from crab_graph.personas.guards import Breach, find_breach
from crab_graph.personas.lexicon import UserBriefing
from crab_graph.personas.recognition import told_after
from crab_graph.text.phrases import without_tokens

OPENING = "(The chat is open. Write your first message.)"
_NO_TEXT = "(no text)"


class ModelReply(NamedTuple):
    """What a model said, and the tools it called as `(name, arguments)`."""

    text: str
    calls: tuple[tuple[str, Any], ...] = ()


Ask = Callable[[Sequence[Message]], ModelReply]
"""A model that knows its prompt and its tools: the user's view in, its reply out."""


class LlmUser:
    """The engine that lets a model speak.

    Args:
        briefing: What the user knows.
        ask: The model.
        first: What the user wants at first where it changes its mind.
    """

    def __init__(self, briefing: UserBriefing, ask: Ask, first: Fact | None = None) -> None:
        self._briefing = briefing
        self._first = first
        self._ask = ask

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserStep:
        """Return the user's next message; arguments as for the rule-based engine."""
        lines: list[Message] = [{"role": "assistant", "content": OPENING}, *messages]
        reply = self._ask(lines)
        breach = self._breach(reply, messages)
        after = dict(state)
        if breach is not None:
            after["retries"] = after.get("retries", 0) + 1
            reply = self._ask([*lines, *_refused(reply, breach)])
            breach = self._breach(reply, messages)
        visible = [one for one in messages if _is_visible(one)]
        number = len(visible) + 1
        if breach is not None:
            fault = {"turn": number, "kind": str(breach.kind), "text": breach.reason}
            after["faults"] = [*after.get("faults", ()), fault]
        if reply.calls:
            return UserStep(_private(reply, messages), after)
        after["disclosed"] = self._record(after, reply.text, visible, number)
        return UserStep({"role": "user", "content": reply.text}, after)

    def _breach(self, reply: ModelReply, messages: Sequence[Message]) -> Breach | None:
        names = [name for name, _ in reply.calls]
        return find_breach(reply.text, names, messages, self._briefing)

    def _record(
        self, state: Mapping[str, Any], text: str, visible: Sequence[Message], number: int
    ) -> list[dict[str, Any]]:
        told = state.get("disclosed", ())
        heard = [str(one["content"]) for one in visible if one["role"] == "assistant"]
        last, said = heard[-1] if heard else "", without_tokens(text)
        return told_after(told, said, last, number, self._briefing, self._first)


def _is_visible(message: Message) -> bool:
    return message["role"] in {"user", "assistant"} and not message.get("tool_calls")


def _refused(reply: ModelReply, breach: Breach) -> list[Message]:
    """Return a reply that was not sent and why; its calls, which were not made, are left out."""
    reason = f"(This message was not sent: {breach.reason}. Write it again.)"
    return [
        {"role": "user", "content": reply.text or _NO_TEXT},
        {"role": "assistant", "content": reason},
    ]


def _private(reply: ModelReply, messages: Sequence[Message]) -> Message:
    made = sum(len(one.get("tool_calls") or ()) for one in messages if one["role"] == "user")
    return {
        "role": "user",
        "owner": "user",
        "content": reply.text,
        "tool_calls": [
            {"id": f"user_call_{made + place}", "name": name, "arguments": arguments}
            for place, (name, arguments) in enumerate(reply.calls, start=1)
        ],
    }
