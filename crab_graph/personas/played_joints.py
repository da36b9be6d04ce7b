"""What an agent plays back of a user's joint wishes: each is told whole, or otherwise than it is.

A wish is told where something of it stands, and in the sentence behind that; what stands there is
stated of no other wish.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from crab_graph.personas.understanding import Reading
from crab_graph.personas.wordbook import DomainLexicon

_SENTENCE = re.compile(r"[.!?](?:\s+|\Z)|\n+")
_SENTENCES = 2


class PlayedJoint(NamedTuple):
    """That a clause tells a joint wish, rightly or otherwise."""

    key: str
    is_right: bool
    segment: int


def played_joints(
    reading: Reading, chosen: Collection[int], lexicon: DomainLexicon, facts: Mapping[str, Any]
) -> Iterator[PlayedJoint]:
    """Yield the joint wishes that some clauses tell; `facts` is what the user wants, by key."""
    joint = {key: lexicon.facts[key] for key in facts if key in lexicon.facts}
    joint = {key: words for key, words in joint.items() if words.is_joint}
    text = reading.utterance.text.casefold() if joint else ""
    for number in sorted(chosen) if joint else ():
        segment = reading.segments[number]
        for key, words in joint.items():
            if words.about.search(segment.text) is not None:
                near = _near(text, segment.start)
                if not _is_claimed(key, text, segment.start, lexicon):
                    yield PlayedJoint(key, words.tells(near, facts[key]), number)


def claimed_outcomes(
    reading: Reading, lexicon: DomainLexicon, facts: Mapping[str, Any]
) -> dict[str, list[int]]:
    """Return the wishes of which clauses say how they come out, which no user knows."""
    text = reading.utterance.text.casefold() if lexicon.undecided else ""
    found: dict[str, list[int]] = {}
    for key in lexicon.undecided.keys() & facts.keys():
        about = lexicon.facts[key].about
        for number, segment in enumerate(reading.segments):
            if about.search(segment.text) and _is_claimed(key, text, segment.start, lexicon):
                found.setdefault(key, []).append(number)
    return found


def speaks_of_joint(text: str, lexicon: DomainLexicon, facts: Mapping[str, Any]) -> bool:
    """Tell whether a text speaks of a joint wish that the user has."""
    known = (lexicon.facts[key] for key in facts if key in lexicon.facts)
    return any(words.is_joint and words.about.search(text) for words in known)


def _is_claimed(key: str, text: str, place: int, lexicon: DomainLexicon) -> bool:
    undecided = lexicon.undecided.get(key)
    return undecided is not None and undecided.is_claimed(_near(text, place, 1))


def without_joints(text: str, lexicon: DomainLexicon, facts: Mapping[str, Any]) -> str:
    """Return a text with blanks where it speaks of a joint wish that the user has."""
    for key in facts:
        words = lexicon.facts.get(key)
        if words is not None and words.is_joint:
            text = _with_bracket(words.about).sub(lambda match: " " * len(match[0]), text)
    return text


@lru_cache
def _with_bracket(about: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern with what a bracket right behind it explains."""
    return re.compile(rf"(?:{about.pattern})(?: ?\([^()]*\))?", about.flags)


def _near(text: str, place: int, sentences: int = _SENTENCES) -> str:
    """Return the sentence in which a place is and those behind it, within the line."""
    begin = max((one.end() for one in _SENTENCE.finditer(text, 0, place)), default=0)
    end = text.find("\n", place)
    line = text[begin : end if end >= 0 else len(text)]
    ends = [one.end() for one in _SENTENCE.finditer(line)]
    return line[: ends[sentences - 1]] if len(ends) >= sentences else line
