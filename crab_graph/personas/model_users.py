"""Users that a chat model speaks for: it plays the user (`llm`), or words its turns (`hybrid`)."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from crab_graph.personas.breaches import Breach, find_breach
from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.facts import Fact
from crab_graph.personas.recognition import stated_facts, told_after
from crab_graph.personas.rules_user import (
    Message,
    RulesUser,
    UserStep,
    is_visible,
    private_message,
)
from crab_graph.personas.spoken_dates import find_dates
from crab_graph.personas.understanding import ANY_ID
from crab_graph.text.amounts import find_amounts
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import find_token, without_tokens
from crab_graph.text.utterance import read_message

OPENING = "(The chat is open. Write your first message.)"
_NO_TEXT = "(no text)"


class ModelReply(NamedTuple):
    """What a model said, and the tools it called as `(name, arguments)`."""

    text: str
    calls: tuple[tuple[str, Any], ...] = ()


Ask = Callable[[Sequence[Message]], ModelReply]
"""A model that knows its prompt and its tools: the user's view in, its reply out."""


class LlmUser:
    """The engine that lets a model speak; `first` is a wish that the user takes back later."""

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
        visible = [one for one in messages if is_visible(one)]
        number = len(visible) + 1
        if breach is not None:
            fault = {"turn": number, "kind": str(breach.kind), "text": breach.reason}
            after["faults"] = [*after.get("faults", ()), fault]
        if reply.calls:
            return UserStep(private_message(reply.calls, messages, reply.text), after)
        heard = [str(one["content"]) for one in visible if one["role"] == "assistant"]
        after["disclosed"] = told_after(
            after.get("disclosed", ()),
            without_tokens(reply.text),
            heard[-1] if heard else "",
            number,
            self._briefing,
            self._first,
        )
        return UserStep({"role": "user", "content": reply.text}, after)

    def _breach(self, reply: ModelReply, messages: Sequence[Message]) -> Breach | None:
        names = [name for name, _ in reply.calls]
        return find_breach(reply.text, names, messages, self._briefing)


def _refused(reply: ModelReply, breach: Breach) -> list[Message]:
    """Return a reply that was not sent and why; its calls, which were not made, are left out."""
    reason = f"(This message was not sent: {breach.reason}. Write it again.)"
    return [
        {"role": "user", "content": reply.text or _NO_TEXT},
        {"role": "assistant", "content": reason},
    ]


_COUNTS = ("worded", "replaced")


class HybridUser:
    """The engine that lets a model, which calls no tools, word what the rules decide."""

    def __init__(self, rules: RulesUser, briefing: UserBriefing, ask: Ask) -> None:
        self._rules = rules
        self._briefing = briefing
        self._ask = ask

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserStep:
        """Return the user's next message; arguments as for the rule-based engine."""
        step = self._rules.step(state, messages)
        counts = {name: int(state.get(name, 0)) for name in _COUNTS}
        if step.message.get("tool_calls"):
            return UserStep(step.message, {**step.state, **counts})
        token = find_token(step.message["content"])
        draft = without_tokens(step.message["content"]).strip()
        heard = [m for m in messages if m["role"] == "assistant" and not m.get("tool_calls")]
        wording = self._ask([_task(str(heard[-1]["content"]) if heard else "", draft)]).text.strip()
        told = [row["key"] for row in step.state.get("disclosed", ())]
        new = told[len(state.get("disclosed", ())) :]
        counts["worded"] += 1
        if not self._is_faithful(draft, wording, new, messages):
            counts["replaced"] += 1
            wording = draft
        content = f"{wording} {token or ''}".strip()
        return UserStep({"role": "user", "content": content}, {**step.state, **counts})

    def _is_faithful(
        self, draft: str, wording: str, told: Sequence[str], messages: Sequence[Message]
    ) -> bool:
        if find_token(wording) is not None or find_breach(wording, [], messages, self._briefing):
            return False
        today = self._briefing.today
        if _marks(draft, today) != _marks(wording, today):
            return False
        if not _numbers(wording, today) <= _numbers(draft, today):
            return False
        return all(
            stated_facts(draft, known, told) == stated_facts(wording, known, told)
            for known in (self._briefing, self._rules.first_briefing)
        )


def _task(heard: str, draft: str) -> Message:
    said = f"The agent wrote:\n\n{heard}\n\n" if heard else ""
    return {"role": "assistant", "content": f"{said}The draft of the answer:\n\n{draft}"}


def _marks(text: str, today: str) -> tuple[object, ...]:
    """Return what a wording must keep: dates, amounts, ids, and whether it approves or refuses."""
    utterance = read_message(text)
    return (
        {date.iso for date in find_dates(text, today)},
        {amount.cents for amount in find_amounts(utterance)},
        set(ANY_ID.findall(utterance.text)),
        pattern("approval", "strong").search(utterance.text) is not None,
        pattern("approval", "reserve").search(utterance.text) is not None,
    )


def _numbers(text: str, today: str) -> set[str]:
    """Return the numbers of a text but for its dates, which may be spelled in other ways."""
    for date in reversed(find_dates(text, today)):
        text = text[: date.start] + text[date.end :]
    return set(re.findall(r"\d+", text))
