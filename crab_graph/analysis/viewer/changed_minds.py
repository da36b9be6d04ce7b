"""Where in a dialogue the user changed its mind, of what, and which request counted in the end."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from crab_graph import terms
from crab_graph.analysis.viewer.background import in_words
from crab_graph.personas.briefing import Reason
from crab_graph.runs.record import EpisodeRecord


class ChangedMind(NamedTuple):
    """That the user wanted something else from a message on, in words."""

    turn: int
    text: str


def changed_minds(record: EpisodeRecord) -> Sequence[ChangedMind]:
    """Return the changes of mind that were said, by message; what was wanted before in brackets."""
    found: dict[int, list[str]] = {}
    for fact in record.facts:
        if fact.get("reason") == Reason.CHANGED and fact.get("turn") is not None:
            before = (fact.get("first_wish") or {}).get("value")
            was = "" if before is None else f" ({in_words(before)} before)"
            found.setdefault(fact["turn"], []).append(f"{terms.words(fact['key'])}{was}")
    return [
        ChangedMind(turn, f"changes its mind here: {', '.join(told)}")
        for turn, told in sorted(found.items())
    ]


def changes_said(metrics: Mapping[str, Any]) -> int:
    """Return how many changes of mind were said."""
    word = metrics.get("last_word") or {}
    return len(word["messages"]) if "messages" in word else int("message" in word)


def last_word(metrics: Mapping[str, Any]) -> str | None:
    """Return which request counted, where the task has one before and one after a change."""
    word = metrics.get("last_word")
    if word is None:
        return None
    possible = word.get("changes")
    if possible is not None:
        said = ", ".join(map(str, word["messages"])) or "none"
        return (
            f"The user's changes of mind, {possible} at most, were said in messages: {said}; "
            f"the {'last of them' if word['messages'] else 'first request'} counts."
        )
    said = word.get("message")
    since = "never said" if said is None else f"said in message {said}"
    return f"The user's change of mind was {since}: the {word['request']} request counts."
