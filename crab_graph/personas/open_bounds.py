"""What an open question is about: all that is left, or what it names.

`The hour, then: any wishes?` and `Any wishes for it, such as the price?` ask for those alone; who
answers with another part passes the question over.
"""

import re
from collections.abc import Collection, Mapping

from crab_graph.personas.turns import Turn
from crab_graph.personas.wordbook import FactWords

_OPEN = re.compile(
    r"\b(?:any|what|which|have|some|special|particular) (?:\w+ ){0,2}"
    r"(?:wish(?:es)?|preferences?|requirements?|requests?|needs)\b"
)
_WISHES = re.compile(r"\b(?:wish(?:es)?|preferences?|requirements?|requests?|needs)\b")
_BEYOND = re.compile(
    r"\b(?:else|other|others|more|further|left|remaining|also|additional|missing|still|besides"
    r"|(?:any|every|some)thing|in general|overall|whole|everything|before)\b"
)
"""Words of a question for all that is left."""
_MORE_OF = re.compile(
    r"\b(?:any|some)thing (?:else|more)\b[^?,;(]{0,12}"
    r"\b(?:for|about|on|regarding|with) (?:the|your)\b"
    r"|(?m:^)[^:?\n]{2,30}:[^?]*\b(?:(?:any|some)thing|what) (?:else|more)\b"
)
"""Asks for what is left of something."""
EXAMPLES = re.compile(r"\b(?:such as|e\.? ?g\b|for (?:example|instance))|[,(–-] ?(?:like|say)\b")


def open_bounds(turn: Turn) -> frozenset[str] | None:
    """Return the facts to which an open question keeps; `None` where it asks for all."""
    reading, facts = turn.reading, turn.briefing.lexicon.facts
    found: set[str] = set()
    is_bounded = False
    for segment, how in reading.clauses:
        if not segment.is_request:
            continue
        if segment.named and _MORE_OF.search(segment.text):
            found |= _of_slots(segment.named, facts)
            is_bounded = True
            continue
        if segment.says("closing") or _BEYOND.search(segment.text):
            return None
        if _OPEN.search(segment.text) is None:
            continue
        named = {key for key in how.facts if key in reading.asked and how.names(key)}
        if named and not EXAMPLES.search(segment.text):
            found |= named
        elif segment.named:
            found |= _of_slots(segment.named, facts) | named
        else:
            return None
        is_bounded = True
    return frozenset(found) if is_bounded else None


def asks_for_more(text: str) -> bool:
    """Tell whether a text asks for what is left of something."""
    return _MORE_OF.search(text) is not None


def _of_slots(named: Collection[str], facts: Mapping[str, FactWords]) -> set[str]:
    """Return the facts that are about some slots."""
    slots = {key: {*one.slots, *_conflict_slots(one)} for key, one in facts.items()}
    return {key for key, own in slots.items() if not own.isdisjoint(named)}


def asks_any_wish(text: str) -> bool:
    """Tell whether a question is for any wish, and no one thing."""
    return _WISHES.search(text) is not None


def _conflict_slots(words: FactWords) -> tuple[str, ...]:
    return words.conflict.slots if words.conflict is not None else ()
