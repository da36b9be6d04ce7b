"""Which entities a message mentions and discloses, and what its words refer to (§2.3 to §2.10)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import NamedTuple

from crab_graph.text.lexicon import alternatives, fragment, pattern
from crab_graph.text.utterance import NAME_FORMS, Clause, InOrder, Utterance, starting_within
from crab_graph.text.vocabulary import NAME_WORD, Catalogue, NamedEntity, TextVocabulary

LISTING_CAP = 10

# Possessive, so that a chain of words and hyphens is read in one way only.
_GAP = r"(?:\W+[^\W_]++(?:['_-][^\W_]++)*+)"
_UP_TO_ONE_WORD = re.compile(rf"{_GAP}?\W*")
_UP_TO_THREE_WORDS = re.compile(rf"{_GAP}{{0,3}}\W+")
_REFUSAL = re.compile(
    rf"{fragment('negation', 'negative_auxiliaries')}\s+{fragment('negation', 'verbs')}"
)


# What may stand between a name and its id, and between references that are denied together.
_SOME = ("remaining", "other", "unpaid")
"""Beside a word for everything these make it one for some."""
_SAME = re.compile(r"[\s,:()\[\]\"'-]*")
_JOINT = re.compile(r"[)\]\"']*\s?(?:and|or|nor|/)\s?(?:the )?[\"'(\[]*")
_LONGEST_JOINT = 12
_RESPELT = re.compile(f"[{''.join(map(chr, NAME_FORMS))}]")


class MentionForm(StrEnum):
    """How an entity was mentioned."""

    ID = "id"
    NAME = "name"


class Place(NamedTuple):
    """Where a text mentions an entity; `entity_id` is in upper case, a name's its bearer's."""

    form: MentionForm
    kind: str
    entity_id: str
    start: int
    end: int


class Mention(NamedTuple):
    """One mention of an entity, and whether its clause says that it is not meant.

    `entity_id` is in upper case; for a name, it is the id of the entity that bears it.
    """

    form: MentionForm
    kind: str
    entity_id: str
    start: int
    end: int
    is_negated: bool


def find_mentions(utterance: Utterance, catalogue: Catalogue) -> tuple[Mention, ...]:
    """Return all mentions of bookable entities, in text order."""
    places = [
        Place(MentionForm.ID, kind, match[0].upper(), *match.span())
        for kind, prefix in catalogue.vocabulary.prefixes.items()
        for match in find_ids(utterance.text, prefix)
    ]
    named = bytearray(len(utterance.text))
    for entity, start, end in _name_candidates(utterance.text, catalogue):
        if not any(named[start:end]):
            named[start:end] = b"\1" * (end - start)
            places.append(Place(MentionForm.NAME, entity.kind, entity.entity_id, start, end))
    places.sort(key=lambda place: (place.start, place.end))
    negated = _negated(utterance, places)
    return tuple(Mention(*place, index in negated) for index, place in enumerate(places))


def find_ids(text: str, prefix: str) -> Iterable[re.Match[str]]:
    """Yield the ids with `prefix` in a normalised text, but for parts of longer ones or ranges."""
    start = re.escape(prefix.casefold())
    # What may not stand before it is looked at behind its first letters, which are found fast.
    first = rf"{start}(?<![^\W_]{start})(?<![^\W_][-_]{start})"
    return re.finditer(rf"{first}-?\d+(?![^\W_])(?![-_][^\W_])", text)


def disclosed(mentions: Sequence[Mention], cap: int | None = LISTING_CAP) -> tuple[Mention, ...]:
    """Return the mentions that disclose: not negated, and not one of too many of their type."""
    listed: dict[tuple[MentionForm, str], set[str]] = {}
    for mention in mentions:
        listed.setdefault((mention.form, mention.kind), set()).add(mention.entity_id)
    return tuple(
        mention
        for mention in mentions
        if not mention.is_negated
        and (cap is None or len(listed[mention.form, mention.kind]) <= cap)
    )


def by_slot(mentions: Iterable[Mention], catalogue: Catalogue) -> dict[str, frozenset[str]]:
    """Return the ids of mentioned entities by the slot each fits; those that fit none are left."""
    ids: dict[str, frozenset[str]] = {}
    for mention in mentions:
        slot = catalogue.slot_of(mention.entity_id)
        if slot is not None:
            ids[slot] = ids.get(slot, frozenset()) | {mention.entity_id}
    return ids


def _negated(utterance: Utterance, places: Sequence[Place]) -> frozenset[int]:
    """Return which of some places, in text order, their clause takes back (§2.4, §2.14).

    A denial reaches the nearest reference and no further; one in a bracket that holds a reference
    of its own stays inside.
    """
    starts, ends = [one.start for one in places], [one.end for one in places]
    first = list(range(len(places)))  # the first place of the reference that each belongs to
    for index in range(1, len(places)):
        gap = utterance.text[ends[index - 1] : starts[index]][: _LONGEST_JOINT + 1]
        is_same = places[index - 1].entity_id == places[index].entity_id
        if (is_same and _SAME.fullmatch(gap)) or _JOINT.fullmatch(gap):
            first[index] = first[index - 1]
    found: set[int] = set()
    denials = pattern("negation", "direct"), _REFUSAL, pattern("negation", "after")
    denying = set(chain.from_iterable(map(utterance.clauses_with, denials if places else ())))
    for clause in dict.fromkeys(utterance.clauses_at(chain(starts, ends))):
        if clause not in denying:
            continue
        within = range(bisect_right(ends, clause.start), bisect_left(starts, clause.end))
        for index in _Denials(utterance.text, clause).denied(places, within, ends):
            if index not in found:
                found.update(range(first[index], bisect_right(first, first[index])))
    return frozenset(found)


class _Denials:
    """What in a clause takes a reference back."""

    def __init__(self, text: str, clause: Clause) -> None:
        self._text, self._clause = text, clause

    def denied(self, places: Sequence[Place], within: range, ends: Sequence[int]) -> Iterator[int]:
        """Yield the place that each denial reaches, if it reaches one of those `within`."""
        clause, text = self._clause, self._text
        if pattern("negation", "voids").search(text, clause.start, clause.end) is None:
            scope_ends = [one.start() for one in self._find(pattern("negation", "scope_ends"))]
            for form in (pattern("negation", "direct"), _REFUSAL):
                for match in self._find(form):
                    index = bisect_left(places, match.end(), key=lambda one: one.start)
                    if index not in within or self._is_parted(places, within, match, index):
                        continue
                    start = places[index].start
                    if form is _REFUSAL:
                        ended = bisect_left(scope_ends, match.end())
                        reaches = ended == len(scope_ends) or scope_ends[ended] >= start
                    else:
                        reaches = _UP_TO_ONE_WORD.fullmatch(text, match.end(), start) is not None
                    if reaches:
                        yield index
        for match in self._find(pattern("negation", "after")):
            index = bisect_right(ends, match.start()) - 1
            if index not in within or self._is_parted(places, within, match, index):
                continue
            if _UP_TO_THREE_WORDS.fullmatch(text, ends[index], match.start()):
                yield index

    def _find(self, form: re.Pattern[str]) -> Iterator[re.Match[str]]:
        return form.finditer(self._text, self._clause.start, self._clause.end)

    def _is_parted(
        self, places: Sequence[Place], within: range, match: re.Match[str], index: int
    ) -> bool:
        """Tell whether a bracket holds the denial with a reference of its own, and not this one."""
        opening = self._text.rfind("(", self._clause.start, match.start())
        if opening < 0 or self._text.find(")", opening, match.start()) >= 0:
            return False
        closing = self._text.find(")", match.end(), self._clause.end)
        closing = self._clause.end if closing < 0 else closing
        if opening < places[index].start < closing:
            return False
        own = bisect_left(places, opening, key=lambda one: one.start)
        return own in within and places[own].start < closing


def _name_candidates(text: str, catalogue: Catalogue) -> list[tuple[NamedEntity, int, int]]:
    """Return every place where a full name stands, longest names first."""
    form = text
    for letter, written in NAME_FORMS.items():
        form = form.replace(chr(letter), written)
    places = [
        (entity, match.start())
        for match in NAME_WORD.finditer(form)
        for entity in catalogue.names.get(match[0], ())
        if form.startswith(entity.name, match.start())
    ]
    if not places:
        return []
    origin = _origins(text)
    found = []
    for entity, start in places:
        end = start + len(entity.name)
        last = origin(end - 1) + 1
        if not form[end : end + 1].isalnum() or text.startswith("'s", last):
            found.append((entity, origin(start), last))
    return sorted(found, key=lambda candidate: (-len(candidate[0].name), candidate[1]))


def _origins(text: str) -> Callable[[int], int]:
    """Return what tells of a character in the form of names where in the text it comes from."""
    starts, origins = [0], [0]
    for match in _RESPELT.finditer(text):
        place = starts[-1] + match.start() - origins[-1]
        written = len(NAME_FORMS[ord(match[0])])
        # Each character that is written for one comes from it, those after it from what follows.
        starts += [*range(place, place + written), place + written]
        origins += [*[match.start()] * written, match.end()]

    def origin(place: int) -> int:
        known = bisect_right(starts, place) - 1
        return origins[known] + place - starts[known]

    return origin


_SOME_OF = re.compile(
    r"(?<!\w)(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+|most|some|several|half|none)"
    r" of (?:(?:the|your|our|these|those) )?(?:\w+ )?\Z"
    r"|(?<!\w)(?:these|those|(?:the|your|our) (?:other|remaining|last|first|next)"
    r"|(?:other|remaining)) (?:(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+) )?\Z"
    r"|(?<!all )(?<!the )(?<!your )(?<!\w)(?:two|three|four|five|six|seven|eight|nine|ten|\d+) \Z"
)
"""`Six of the seven` are not all, and `these three` or `three bookings` may not be."""
_LONGEST_SHARE = 32


class ReferenceForm(StrEnum):
    """How something is referred to."""

    ENTITY = "entity"
    BOOKING = "booking"
    SLOT_WORD = "slot_word"
    GROUP_WORD = "group_word"
    BARE_WORD = "bare_word"
    WHOLE_WORD = "whole_word"


class Reference(NamedTuple):
    """A word, name or id that refers to everything, to slots or to one item, with its span.

    The slots of a bare word are those of its kind, one for the whole has none; ids are upper case.
    """

    form: ReferenceForm
    start: int
    end: int
    slots: tuple[str, ...]
    id: str = ""
    word: str = ""


def find_references(
    utterance: Utterance,
    mentions: Sequence[Mention],
    catalogue: Catalogue,
    booking_slots: Mapping[str, str | None],
) -> tuple[Reference, ...]:
    """Return all references of a message with these mentions, in text order.

    `booking_slots` says the slot of each booking made in the episode.
    """
    found: list[Reference] = []
    for one in mentions:
        slot = catalogue.slot_of(one.entity_id)
        if slot is not None:
            entity = ReferenceForm.ENTITY
            found.append(Reference(entity, one.start, one.end, (slot,), one.entity_id))
    for match in find_ids(utterance.text, catalogue.vocabulary.booking_prefix):
        booking_id = match[0].upper()
        slot = booking_slots.get(booking_id)
        if slot is not None:
            found.append(Reference(ReferenceForm.BOOKING, *match.span(), (slot,), booking_id))
    named = bytearray(len(utterance.text))
    for one in mentions:
        if one.form is MentionForm.NAME:
            named[one.start : one.end] = b"\1" * (one.end - one.start)
    words, meanings = _words(catalogue.vocabulary)
    part: Reference | None = None
    for match in words.finditer(utterance.text):
        if named[match.start()]:
            continue
        form, slots = meanings[match[0]]
        whole = form is ReferenceForm.WHOLE_WORD
        if whole and part is not None and match.start() == part.end + 1:
            # The bookings of a kind are those of its slots; `the booking` of a kind is one of them.
            is_group = len(part.slots) > 1 and match[0].endswith("s")
            form = ReferenceForm.GROUP_WORD if is_group else part.form
            found[-1] = part._replace(form=form, end=match.end())
        elif not (whole and _is_some(utterance.text, match.start())):
            found.append(Reference(form, *match.span(), slots, word=match[0]))
            part = None if whole else found[-1]
    return InOrder(sorted(found, key=lambda reference: reference.start))


def _is_some(text: str, place: int) -> bool:
    """Tell whether what stands before a word for all makes it some of all."""
    return _SOME_OF.search(text, max(0, place - _LONGEST_SHARE), place) is not None


def references_within(references: Sequence[Reference], start: int, end: int) -> list[Reference]:
    """Return the references that lie in a span."""
    return [one for one in starting_within(references, start, end) if one.end <= end]


_NAMING = r"(?!(?:and|or|for|with|of|in|on|at|to|from|plus|is|are|was|were|has|have|had)\b)\w+"
"""A word that may stand between a number and what it counts."""


def _of_all(word: str, counted: str) -> str:
    """Return the pattern of a word for everything, which `all three remaining ones` are not.

    Nor is the number of something else, as `your four physio sessions`.
    """
    before = "".join(f"(?<!{one} )" for one in _SOME)
    of_units = rf"(?! (?:{_NAMING} ){{0,2}}{counted})"
    return rf"{before}{word}{of_units}(?! (?:\w+ )?(?:{'|'.join(_SOME)})\b)"


@cache
def _words(
    vocabulary: TextVocabulary,
) -> tuple[re.Pattern[str], Mapping[str, tuple[ReferenceForm, tuple[str, ...]]]]:
    """Return the pattern of a vocabulary's words, and what each of them refers to."""
    meanings: dict[str, tuple[ReferenceForm, tuple[str, ...]]] = {}
    for kind, words in vocabulary.bare_words.items():
        slots = tuple(slot for slot, of_kind in vocabulary.slots.items() if of_kind == kind)
        meanings.update({word: (ReferenceForm.BARE_WORD, slots) for word in words})
    for slot, words in vocabulary.slot_words.items():
        meanings.update({word: (ReferenceForm.SLOT_WORD, (slot,)) for word in words})
    for word, slots in vocabulary.group_words.items():
        meanings[word] = (ReferenceForm.GROUP_WORD, slots)
    meanings.update({word: (ReferenceForm.WHOLE_WORD, ()) for word in vocabulary.whole_words})
    counted = alternatives(map(re.escape, vocabulary.counted_words))
    forms = (
        _of_all(re.escape(word), counted) if form is ReferenceForm.WHOLE_WORD else re.escape(word)
        for word, (form, _) in meanings.items()
    )
    return re.compile(alternatives(forms)), meanings
