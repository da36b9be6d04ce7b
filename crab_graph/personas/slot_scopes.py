"""Which slots each clause of a message is about, as a question goes on with the one before it."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from crab_graph.personas.segments import Segment
from crab_graph.personas.understanding import HEARD_AT_ONCE, Reading
from crab_graph.personas.wordbook import DomainLexicon

_THEM = re.compile(r"\b(?:those|these|the|them) (?:two|three|both)\b|\b(?:each|both) of them\b")
"""Means the slots that were named last."""
_AND = re.compile(r" and (?:for )?(?:the |a |an )?")
_OF_ALL = re.compile(r"\b(?:both|all|each|every|either)\b")


def scopes_of(segments: Sequence[Segment], lexicon: DomainLexicon) -> list[frozenset[str]]:
    """Return the slots that each clause is about.

    A word for a kind of slots, as in `And the first leg? Which class and seat?`, means that one,
    and `those two` the last that were named.
    """
    found: list[frozenset[str]] = []
    before, last = frozenset[str](), frozenset[str]()
    for one in segments:
        scope = one.scope
        if len(before) == 1 and before < one.named and _is_of_kind(one.text, lexicon):
            scope = before
        elif not scope and len(last) > 1 and _THEM.search(one.text):
            scope = last
        found.append(scope)
        before, last = scope, scope or last
    return found


@lru_cache(maxsize=HEARD_AT_ONCE)
def asked_scopes(reading: Reading) -> tuple[frozenset[str], ...]:
    """Return the slots that each clause asks of: those it names, or the question before it does.

    Of what stands beside others in one line nobody knows if it is of the same.
    """
    segments = reading.segments
    scopes = scopes_of(segments, reading.lexicon)
    found: list[frozenset[str]] = []
    for one, last, scope in zip(segments, [None, *segments], scopes, strict=False):
        goes_on = last is not None and last.is_request and bool(last.named)
        is_own = bool(one.named) or one.is_item or _THEM.search(one.text) is not None
        found.append(scope if is_own or goes_on else one.named)
    return tuple(found)


def _is_of_kind(text: str, lexicon: DomainLexicon) -> bool:
    """Tell whether a clause names slots only by a word for one of their kind."""
    if _OF_ALL.search(text) or any(cue.search(text) for cue in lexicon.slots.values()):
        return False
    named = [match for group in lexicon.groups for match in group.words.finditer(text)]
    named.sort(key=re.Match.start)
    are_two = any(_AND.fullmatch(text, one.end(), two.start()) for one, two in pairwise(named))
    return bool(named) and not (are_two or any(match[0].endswith("s") for match in named))
