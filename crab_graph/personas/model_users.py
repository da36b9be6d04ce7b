"""Users that a chat model speaks for: it plays the user (`llm`), or words its turns (`hybrid`)."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from crab_graph.personas.breaches import (
    Breach,
    UnsentReply,
    find_breach,
    find_form_breach,
    is_agents,
)
from crab_graph.personas.briefing import Fact, UserBriefing
from crab_graph.personas.disclosure_limits import beyond_bounds
from crab_graph.personas.invented_values import invented_person
from crab_graph.personas.memory import UserMemory
from crab_graph.personas.message_text import ANY_ID
from crab_graph.personas.model_memory import memory_after
from crab_graph.personas.private_notes import idle_messages, word_note, word_opening_note
from crab_graph.personas.recognition import stated_facts
from crab_graph.personas.rules_user import Hearing, RulesUser, UserStep, private_message
from crab_graph.personas.second_thoughts import ChangingUser
from crab_graph.personas.spoken_dates import find_dates
from crab_graph.text.amounts import find_amounts
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import find_token, without_tokens
from crab_graph.text.utterance import read_message

Message = dict[str, Any]

OPENING = "(The chat is open. Write your first message.)"


class ModelReply(NamedTuple):
    """What a model said, and the tools it called as `(name, arguments)`."""

    text: str
    calls: tuple[tuple[str, Any], ...] = ()


Ask = Callable[[Sequence[Message]], ModelReply]
"""A model that knows its prompt and its tools: the user's view in, its reply out."""


class LlmUser:
    """The engine that lets a model speak, each message within what the rules draw for it.

    The rules read the agent and keep the user's memory; what to say is the model's to decide.
    `first` is a wish that the user takes back later.
    """

    def __init__(
        self, rules: RulesUser, briefing: UserBriefing, ask: Ask, first: Fact | None = None
    ) -> None:
        self.rules = rules
        self._briefing = briefing
        self._first = first
        self._ask = ask

    def step(
        self,
        state: Mapping[str, Any],
        messages: Sequence[Message],
        *,
        order: str = "",
        due: Sequence[str] = (),
    ) -> UserStep:
        """Return the user's next message; arguments as for the rule-based engine.

        An `order` stands first in its note, and facts are `due` of which a bare value tells enough.
        """
        hearing = self.rules.hear(state, messages)
        idle = idle_messages(hearing)
        note = self._note(hearing, idle, order)
        lines: list[Message] = [
            {"role": "assistant", "content": OPENING},
            *messages,
            {"role": "assistant", "content": note},
        ]
        reply = self._ask(lines)
        breach = self._breach(reply, messages, hearing)
        after = {**state, "note": note}
        if breach is not None:
            after["retries"] = after.get("retries", 0) + 1
            # The calls of a reply that was not sent were not made, and are left out.
            reason = f"(This message was not sent: {breach.reason}. Write it again.)"
            lines = [
                *lines,
                {"role": "user", "content": reply.text or "(no text)"},
                {"role": "assistant", "content": reason},
            ]
            reply = self._ask(lines)
            breach = self._breach(reply, messages, hearing)
        if breach is not None:
            fault = {"turn": hearing.number, "kind": str(breach.kind), "text": breach.reason}
            after["faults"] = [*after.get("faults", ()), fault]
        if reply.calls:
            return UserStep(private_message(reply.calls, messages, reply.text), after)
        before = UserMemory.from_json(state)
        memory = memory_after(
            hearing, reply.text, before, self._briefing, first=self._first, idle=idle, due=due
        )
        if hearing.behavior.two_levels:
            beyond = beyond_bounds(without_tokens(reply.text), hearing, self._briefing)
            after["over_disclosed"] = after.get("over_disclosed", 0) + len(beyond)
        return UserStep({"role": "user", "content": reply.text}, {**after, **memory.as_json()})

    def _note(self, hearing: Hearing, idle: int, order: str) -> str:
        if hearing.turn is None:
            return word_opening_note(hearing, self._briefing)
        takes_back = self.rules.takes_back(hearing.turn)
        return word_note(hearing.turn, hearing.draw, idle=idle, takes_back=takes_back, order=order)

    def _breach(
        self, reply: ModelReply, messages: Sequence[Message], hearing: Hearing
    ) -> Breach | None:
        names = [name for name, _ in reply.calls]
        first = None if self._first is None else self._first.key
        return find_breach(UnsentReply(reply.text, names, messages, hearing, self._briefing, first))


_COUNTS = ("worded", "replaced")


class HybridUser:
    """The engine that lets a model, which calls no tools, word what the rules decide."""

    def __init__(self, rules: RulesUser | ChangingUser, briefing: UserBriefing, ask: Ask) -> None:
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
        heard = list(filter(is_agents, messages))
        last = str(heard[-1]["content"]) if heard else ""
        task = f"The agent wrote:\n\n{last}\n\n" if last else ""
        task += f"The draft of the answer:\n\n{draft}"
        wording = self._ask([{"role": "assistant", "content": task}]).text.strip()
        told = [row["key"] for row in step.state.get("disclosed", ())]
        new = told[len(state.get("disclosed", ())) :]
        counts["worded"] += 1
        if not self._is_faithful(draft, wording, new, last):
            counts["replaced"] += 1
            wording = draft
        content = f"{wording} {token or ''}".strip()
        return UserStep({"role": "user", "content": content}, {**step.state, **counts})

    def _is_faithful(self, draft: str, wording: str, told: Sequence[str], heard: str) -> bool:
        if find_token(wording) is not None or find_form_breach(wording):
            return False
        if invented_person(wording, [draft, heard], self._briefing):
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


def _marks(text: str, today: str) -> tuple[object, ...]:
    """Return what a wording must keep: dates, amounts, ids, approvals, refusals, and their news."""
    utterance = read_message(text)
    return (
        {date.iso for date in find_dates(text, today)},
        {amount.cents for amount in find_amounts(utterance)},
        set(ANY_ID.findall(utterance.text)),
        pattern("approval", "strong").search(utterance.text) is not None,
        pattern("approval", "reserve").search(utterance.text) is not None,
        "approved" in utterance.text,
    )


def _numbers(text: str, today: str) -> set[str]:
    """Return the numbers of a text but for its dates, which may be spelled in other ways."""
    for date in reversed(find_dates(text, today)):
        text = text[: date.start] + text[date.end :]
    return set(re.findall(r"\d+", text))
