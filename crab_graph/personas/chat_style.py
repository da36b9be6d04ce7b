"""How people type in a chat: lower case without full stops, small talk around a fact (D1)."""

import re
from collections.abc import Sequence
from random import Random

from crab_graph.personas.briefing import Fact, UserBriefing
from crab_graph.personas.wordbook import ValueForm

_STOP = re.compile(r"\.(?=\s|$)\s*")
_ID = r"\b[A-Z]{2,4}-\d+"
_NAMES = (ValueForm.TEXT, ValueForm.NAMES)


def kept_words(facts: Sequence[Fact], briefing: UserBriefing) -> frozenset[str]:
    """Return the names and ids among what a user knows, which keep their case."""
    kept: set[str] = set()
    for fact in facts:
        words = briefing.lexicon.facts.get(fact.key)
        if words is not None and words.form in _NAMES:
            values = fact.value if isinstance(fact.value, list) else [fact.value]
            kept.update(map(str, values))
    return frozenset(kept)


def unpunctuated(text: str, kept: frozenset[str]) -> str:
    """Return a text in lower case, a line for each of its sentences, without full stops."""
    lines = [line.strip() for line in _STOP.split(text)]
    longest = sorted(map(re.escape, kept), key=len, reverse=True)
    names = re.compile(f"({'|'.join((*longest, _ID))})")
    pieces = names.split("\n".join(filter(None, lines)))
    # What is split at stands at the odd places.
    return "".join(piece if place % 2 else piece.lower() for place, piece in enumerate(pieces))


_YES_OR_NO = re.compile(r"(?:yes|yep|no|right|correct|that'?s right|that is)\b", re.I)
_MOST_ASIDES = 4
"""Sentences off the topic that one user says in a talk."""


def unsaid_asides(asides: Sequence[str], every: Sequence[str], said: str) -> list[str]:
    """Return which sentences off the topic a user has left; of `every` it says few, none twice."""
    before = said.casefold()
    told = {aside for aside in every if aside.casefold().rstrip(".") in before}
    return [aside for aside in asides if aside not in told] if len(told) < _MOST_ASIDES else []


def amid_small_talk(parts: Sequence[str], asides: Sequence[str], rng: Random) -> list[str]:
    """Return the parts of a turn with the last of them between two sentences off the topic.

    A yes or a no is none of them, nor is what it is said of.
    """
    is_led = bool(parts) and _YES_OR_NO.match(parts[0]) is not None
    if len(asides) < 2 or len(parts) < (3 if is_led else 1):
        return list(parts)
    before, after = rng.sample(list(asides), 2)
    return [*parts[:-1], before, parts[-1], after]
