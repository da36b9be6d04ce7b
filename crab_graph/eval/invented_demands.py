"""Demands of the user that nothing it wants is behind (rulebook §10, U2)."""

import re
from collections.abc import Iterator
from functools import cache

from crab_graph.domain.verification import Role
from crab_graph.eval.blame import UserError
from crab_graph.eval.reading import Episode
from crab_graph.personas.wordbook import DomainLexicon
from crab_graph.text.lexicon import pattern
from crab_graph.text.utterance import REACH

DEMANDED = frozenset({Role.SLOT_FILLED, Role.WISH, Role.SURPLUS, Role.ENDED_PARTIAL})
"""What a demand that is made up explains."""

_LEADING_NO = re.compile(r"\A\W*(?:no|nope|nah)(?:[,:;.!]| -)\s*")


def without_leading_no(words: str) -> str:
    """Return a clause without the `No,` that it begins with: what follows is said all the same."""
    rest = _LEADING_NO.sub("", words)
    return words if pattern("attribution", "refusals_of_values").search(rest) else rest


def demanded_extras(episode: Episode) -> Iterator[UserError]:
    """U2: the user requires, or misses in what is offered, what the domain sells beside its wishes.

    What the agent has just offered may be taken.
    """
    extras = _extras(episode.reading.grading.amenities)
    lexicon = episode.reading.task.briefing.lexicon
    offers = {answer.seq: said.utterance.text for said, answer in episode.dialogue.answers}
    for message in episode.dialogue.user:
        for words in map(message.utterance.words, message.utterance.clauses):
            for found in (*lexicon.extras.finditer(words), *extras.finditer(words)):
                extra = found[0]
                is_offered = extra in offers.get(message.seq, "")
                is_demanded = _requires(words, found.start(), found.end())
                if is_demanded and not is_offered and not _is_wished(lexicon, extra):
                    text = f"demanded {extra}, of which it has no wish"
                    yield UserError("U2", message.number, text, DEMANDED)


@cache
def _extras(amenities: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(amenities)})\b" if amenities else r"(?!)")


def _requires(words: str, start: int, end: int) -> bool:
    """Return whether a clause demands what stands there, or holds its lack against an offer."""
    if "?" in words or pattern("attribution", "optional").search(words):
        return False
    said = without_leading_no(words)
    start, end = (place - (len(words) - len(said)) for place in (start, end))
    before = said[max(0, start - REACH) : start]
    lacks = [found.end() for found in pattern("attribution", "lacks").finditer(before)]
    if lacks and len(before[lacks[-1] :].split()) <= 1 and said != words:
        return True
    if pattern("attribution", "denials").search(said):
        return False
    needs = pattern("attribution", "requirements")
    return needs.search(before) is not None or needs.match(said[end:].lstrip()) is not None


def _is_wished(lexicon: DomainLexicon, extra: str) -> bool:
    """Return whether a fact of the domain is about it."""
    return any(
        cue.search(extra)
        for words in lexicon.facts.values()
        for cue in (*words.asks, *words.cues.values())
    )
