"""The rules decide what a user says, a chat model words it (design §8).

A wording that drops, adds or alters a fact, an id, a number or an approval is replaced by the draft
of the rules. The user's state counts wordings and replacements.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from crab_graph.personas.engines.llm import Ask
from crab_graph.personas.engines.rules import Message, RulesUser, UserStep
from crab_graph.personas.guards import find_breach
from crab_graph.personas.lexicon import UserBriefing
from crab_graph.personas.recognition import stated_facts
from crab_graph.personas.spoken_dates import find_dates
from crab_graph.personas.understanding import ANY_ID
from crab_graph.text.amounts import find_amounts
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import find_token, without_tokens
from crab_graph.text.utterance import read_message

_COUNTS = ("worded", "replaced")


class HybridUser:
    """The engine that lets a model word what the rules decide.

    Args:
        rules: The rule-based user.
        briefing: What the user knows.
        ask: The model; it calls no tools.
    """

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
        facts = [
            [
                stated_facts(text, known, told)
                for known in (self._briefing, self._rules.first_briefing)
            ]
            for text in (draft, wording)
        ]
        today = self._briefing.today
        return (
            facts[0] == facts[1]
            and _marks(draft, today) == _marks(wording, today)
            and (
                set(re.findall(r"\d+", _plain(wording, today)))
                <= set(re.findall(r"\d+", _plain(draft, today)))
            )
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


def _plain(text: str, today: str) -> str:
    """Return a text without its dates, which may be spelled in other ways."""
    for date in reversed(find_dates(text, today)):
        text = text[: date.start] + text[date.end :]
    return text
