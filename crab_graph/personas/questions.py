"""Which facts each clause of a message may ask for."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from crab_graph.personas.clause_splits import split_message
from crab_graph.personas.segments import Segment
from crab_graph.personas.stated_values import names_slot
from crab_graph.personas.wordbook import (
    Cue,
    DomainLexicon,
    FactWords,
    ValueForm,
    phrase_book,
)
from crab_graph.text.utterance import Utterance

_SAME = re.compile(
    r"(?:and |so )?(?:the )?same (?:for|with|on)\b|[^?.]{3,60}\bsame (?:question|here|again)\W*\Z"
)
"""What a question begins with that asks the last one of another part, and offers answers."""


def read_segments(text: str, lexicon: DomainLexicon) -> tuple[Utterance, Sequence[Segment]]:
    """Split a message into segments."""
    return _finder_of(lexicon).split(text)


Span = tuple[int, int]
_KEPT = 256
"""Clauses whose cues are kept, since each message is read once more as the one before."""
_KEPT_WHOLE = 8
"""Messages of which the clauses are kept, for the same."""
_MAX_ELLIPSIS, _MOST_ELLIPSIS = 6, 9
_AFTERTHOUGHT = 3


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """A fact that a clause may ask for: by a cue, hint, topic, value or ellipsis, and where.

    `cues` are the numbers of the cues that found it, below 0 of hints. It `is_general` where a fact
    of the slot at hand has its cues too, and `is_main` in the main clause.
    """

    key: str
    how: str
    start: int
    end: int
    cues: tuple[int, ...]
    is_general: bool
    is_main: bool
    has_value: bool


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a clause stands behind: the facts last asked for, and the slots last named."""

    asked: Sequence[str] = ()
    slots: frozenset[str] = frozenset()


def candidates(
    segment: Segment, earlier: Earlier, lexicon: DomainLexicon
) -> dict[str, FactCandidate]:
    """Return the facts that a clause may ask for, in their order.

    Facts whose cues stand at one place keep the lexicon's order.
    """
    topical = _topical(segment, lexicon)
    elliptical = _elliptical(segment, earlier.asked, lexicon)
    main = _main_text(segment)
    found: list[FactCandidate] = []
    all_cues = _finder_of(lexicon).find(segment.text)
    for key, words in lexicon.facts.items():
        cues = all_cues.get(key, _NONE)
        fits = _fits(words, segment, earlier.slots, lexicon)
        asked, hinted, valued = cues.asked if fits else [], cues.hinted, cues.valued
        asked = [
            (number, span)
            for number, span in asked
            if not lexicon.is_place_of(segment.named, segment.text[slice(*span)])
            and not (words.asks[number] in words.lent and _is_elsewhere(words, segment, lexicon))
        ]
        if valued is not None and (
            names_slot(segment.text, valued[1], words, lexicon)
            or lexicon.is_place_of(segment.named, segment.text[slice(*valued)])
        ):
            valued = None
        spans = [span for _, span in asked or hinted]
        how = "cue" if asked else "hint" if hinted else ""
        if not how and key in elliptical:
            how, spans = "ellipsis", [(0, len(segment.text))]
        elif not how and key in topical:
            how, spans = "topic", [topical[key]]
        elif not how and valued is not None and fits:
            how, spans = "value", [valued]
        if how:
            start, end = min(spans)
            numbers = (*(at for at, _ in asked), *(-1 - at for at, _ in hinted))
            is_main = segment.text[start:end] in main
            one = FactCandidate(key, how, start, end, numbers, False, is_main, valued is not None)
            found.append(one)
    found = [one for one in found if not _is_of_slots_before(one, found, segment, earlier, lexicon)]
    cued = {one.key for one in found if one.how == "cue"}
    found.sort(key=lambda one: one.start)
    return {
        one.key: replace(one, is_general=True)
        if _is_meant_closer(one.key, cued, segment, lexicon)
        else one
        for one in found
    }


def _is_elsewhere(words: FactWords, segment: Segment, lexicon: DomainLexicon) -> bool:
    """Tell whether a clause is about slots of which a joint wish is none."""
    compared = lexicon.compared(words.key)
    return bool(compared and segment.scope) and segment.scope.isdisjoint(compared)


def _fits(words: FactWords, segment: Segment, last: frozenset[str], lexicon: DomainLexicon) -> bool:
    """Tell whether a clause is about the slots that a fact is about, or about none.

    One that names none may be about those last named; a question is bound to those of what stands
    before it only where a fact of the same kind is about them.
    """
    slots = words.slots or (lexicon.compared(words.key) if words.is_joint else ())
    if not slots or not segment.scope.isdisjoint(slots):
        return True
    is_free = segment.is_request and not (segment.named or segment.is_item)
    if segment.scope and not (is_free and not has_rival(words, segment.scope, lexicon)):
        return False
    return not (words.needs_slot and last.isdisjoint(slots))


def _is_of_slots_before(
    one: FactCandidate,
    found: Sequence[FactCandidate],
    segment: Segment,
    earlier: Earlier,
    lexicon: DomainLexicon,
) -> bool:
    """Tell whether words that name no slot are meant of those last named, and not of a fact's."""
    slots = lexicon.facts[one.key].slots
    is_free = segment.is_request and not (segment.scope or segment.is_item)
    if one.how != "cue" or not (is_free and slots) or not earlier.slots.isdisjoint(slots):
        return False
    beside = (two.key for two in found if two.how == "cue" and two.start == one.start)
    return any(
        not earlier.slots.isdisjoint((*lexicon.facts[key].slots, *lexicon.compared(key)))
        for key in beside
        if key != one.key
    )


def _topical(segment: Segment, lexicon: DomainLexicon) -> dict[str, tuple[int, int]]:
    """Return the facts that the topics of a clause stand for, and where the topic is named."""
    found: dict[str, tuple[int, int]] = {}
    for topic in lexicon.topics.values():
        match = topic.words.search(segment.text)
        if match is not None:
            found = dict.fromkeys(topic.facts, match.span()) | found
    return found


@dataclass(slots=True)
class _FactCues:
    """What of a fact's words a text holds: its cues by number, its hints, and a value; places."""

    asked: list[tuple[int, Span]] = field(default_factory=list)
    hinted: list[tuple[int, Span]] = field(default_factory=list)
    values: list[tuple[int, Span]] = field(default_factory=list)

    @property
    def valued(self) -> Span | None:
        """The place of the first value that has one."""
        return min(self.values)[1] if self.values else None


_NONE = _FactCues()


class _CueFinder:
    """Finds the words of all facts of a lexicon in a text, and those that facts share once.

    The last texts are kept.
    """

    def __init__(self, lexicon: DomainLexicon) -> None:
        self.lexicon = lexicon
        users: dict[Cue, list[tuple[str, str, int]]] = {}
        for key, words in lexicon.facts.items():
            for part, cues in (
                ("asked", words.asks),
                ("hinted", words.hints),
                ("values", tuple(words.cues.values())),
            ):
                for number, cue in enumerate(cues):
                    users.setdefault(cue, []).append((key, part, number))
        self._users = [(cue.search, tuple(of)) for cue, of in users.items()]
        self.find = lru_cache(maxsize=_KEPT)(self._find)
        self.split = lru_cache(maxsize=_KEPT_WHOLE)(lambda text: split_message(text, lexicon))

    def _find(self, text: str) -> dict[str, _FactCues]:
        found: dict[str, _FactCues] = {}
        hits = [(match.span(), of) for search, of in self._users if (match := search(text))]
        for span, users in hits:
            for key, part, number in users:
                getattr(found.setdefault(key, _FactCues()), part).append((number, span))
        for cues in found.values():
            cues.asked.sort()
            cues.hinted.sort()
        return found


_FINDERS: dict[int, _CueFinder] = {}


def _finder_of(lexicon: DomainLexicon) -> _CueFinder:
    """Return what finds the facts' words in a text: one for each lexicon that is in use."""
    known = _FINDERS.get(id(lexicon))
    if known is None:
        known = _FINDERS[id(lexicon)] = _CueFinder(lexicon)
    return known


def _main_text(segment: Segment) -> str:
    """Return the text of a clause without what leads up to a request, as `before I search,`."""
    book = phrase_book()
    words = book.without("subordinate", book.without("not_needed", segment.text))
    last = words.rpartition("...")[2].strip()
    return (last if len(last.split()) > _AFTERTHOUGHT else words) or segment.text


def _elliptical(segment: Segment, before: Sequence[str], lexicon: DomainLexicon) -> list[str]:
    """Return what a question such as `and on the way back?` asks: the last one, of another slot.

    One that names no slot, as `and hers?`, may ask the last ones once more.
    """
    is_same = _SAME.match(segment.text) is not None
    length = 1 if is_same else len(segment.text.split())
    if not before or length > _MOST_ELLIPSIS:
        return []
    if length > _MAX_ELLIPSIS and any(
        one.asked for one in _finder_of(lexicon).find(segment.text).values()
    ):
        return []
    named = segment.named or {
        slot for slot, label in lexicon.labels.items() if label.search(segment.text)
    }
    asked = [lexicon.facts[key] for key in before]
    others = [
        key
        for key, words in lexicon.facts.items()
        if named & set(words.slots)
        and any(is_alike(words, one) for one in asked)
        and key not in before
    ]
    if others or segment.is_item:
        return others
    return [key for key in before if not named or named & set(lexicon.facts[key].slots)]


def segment_before(segments: Sequence[Segment], segment: Segment) -> Segment | None:
    """Return the clause of a message right before one of its clauses; `None` before the first."""
    place = bisect_left(segments, segment.start, key=lambda one: one.start)
    return segments[place - 1] if place else None


def is_alike(words: FactWords, other: FactWords) -> bool:
    """Tell whether two facts are of one kind: choices with a value in common, or two dates."""
    return words.form is other.form and (
        not words.choices.keys().isdisjoint(other.choices) or words.form is ValueForm.DATE
    )


def _is_meant_closer(key: str, found: set[str], segment: Segment, lexicon: DomainLexicon) -> bool:
    """Tell whether a general fact was found only since one of the slot at hand has its cues."""
    words = lexicon.facts[key]
    return not words.slots and any(
        other.needs_slot
        and other.form is words.form
        and segment.scope >= set(other.slots)
        and not (words.conflict and segment.scope & set(words.conflict.slots))
        for other in (lexicon.facts[name] for name in found - {key})
    )


def has_rival(words: FactWords, scope: frozenset[str], lexicon: DomainLexicon) -> bool:
    """Tell whether what is about some slots is not about a fact, which has its like among those."""
    if not words.slots or not scope or not scope.isdisjoint(words.slots):
        return False
    if any(
        one.slots and not scope.isdisjoint(one.slots) and is_alike(words, one)
        for one in lexicon.facts.values()
    ):
        return True
    # What nobody wants of those slots is asked for in the same words.
    beside = (one for one in lexicon.unwished.values() if not scope.isdisjoint(one.slots))
    return any(not {*words.asks}.isdisjoint(one.asks) for one in beside)
