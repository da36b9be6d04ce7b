"""Which entities a message mentions and discloses, and what its words refer to (§2.3 to §2.10)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from crab_graph.text.lexicon import alternatives, fragment, pattern
from crab_graph.text.utterance import NAME_FORMS, Clause, Utterance, starting_within
from crab_graph.text.vocabulary import NAME_WORD, Catalogue, NamedEntity, TextVocabulary

LISTING_CAP = 10

# Possessive, so that a chain of words and hyphens is read in one way only.
_GAP = r"(?:\W+[^\W_]++(?:['_-][^\W_]++)*+)"
_UP_TO_ONE_WORD = re.compile(rf"{_GAP}?\W*")
_UP_TO_THREE_WORDS = re.compile(rf"{_GAP}{{0,3}}\W+")
_REFUSAL = re.compile(
    rf"{fragment('negation', 'negative_auxiliaries')}\s+{fragment('negation', 'verbs')}"
)


_RESPELT = re.compile(f"[{''.join(map(chr, NAME_FORMS))}]")


class MentionForm(StrEnum):
    """How an entity was mentioned."""

    ID = "id"
    NAME = "name"


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
        (MentionForm.ID, kind, match[0].upper(), *match.span())
        for kind, prefix in catalogue.vocabulary.prefixes.items()
        for match in find_ids(utterance.text, prefix)
    ]
    named = bytearray(len(utterance.text))
    for entity, start, end in _name_candidates(utterance.text, catalogue):
        if not any(named[start:end]):
            named[start:end] = b"\1" * (end - start)
            places.append((MentionForm.NAME, entity.kind, entity.entity_id, start, end))
    denials = cache(lambda clause: _Denials(utterance.text, clause))
    found = (Mention(*place, _is_negated(utterance, denials, *place[-2:])) for place in places)
    return tuple(sorted(found, key=lambda mention: (mention.start, mention.end)))


def find_ids(text: str, prefix: str) -> Iterable[re.Match[str]]:
    """Yield the ids with `prefix` in a normalised text, but for parts of longer ones or ranges."""
    start = re.escape(prefix.casefold())
    return re.finditer(rf"(?<![^\W_])(?<![^\W_][-_]){start}-?\d+(?![^\W_])(?![-_][^\W_])", text)


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


class _Denials:
    """What in a clause takes a mention back; read once, whatever number of mentions it has."""

    def __init__(self, text: str, clause: Clause) -> None:
        def ends(form: re.Pattern[str]) -> list[int]:
            return [match.end() for match in form.finditer(text, clause.start, clause.end)]

        self._text = text
        self._direct = ends(pattern("negation", "direct"))
        self._refusals = ends(_REFUSAL)
        scope_ends = pattern("negation", "scope_ends")
        self._scope_ends = ends(scope_ends) if self._refusals else []
        after = pattern("negation", "after").finditer(text, clause.start, clause.end)
        self._after = [match.start() for match in after]
        voids = pattern("negation", "voids")
        self._is_void = voids.search(text, clause.start, clause.end) is not None

    def reaches_back(self, end: int) -> bool:
        """Return whether one follows a mention that ends here."""
        first = bisect_left(self._after, end)
        return first < len(self._after) and bool(
            _UP_TO_THREE_WORDS.fullmatch(self._text, end, self._after[first])
        )

    def reaches(self, start: int) -> bool:
        """Return whether one precedes a mention that starts here, and holds."""
        if self._is_void:
            return False
        direct = bisect_right(self._direct, start)
        if direct and _UP_TO_ONE_WORD.fullmatch(self._text, self._direct[direct - 1], start):
            return True
        refused = bisect_right(self._refusals, start)
        if not refused:
            return False
        ended = bisect_right(self._scope_ends, start)
        return not ended or self._scope_ends[ended - 1] <= self._refusals[refused - 1]


def _is_negated(
    utterance: Utterance, denials: Callable[[Clause], _Denials], start: int, end: int
) -> bool:
    """Return whether the clause around a mention takes it back."""
    first, last = utterance.clause_at(start), utterance.clause_at(end - 1)
    return denials(first).reaches(start) or denials(last).reaches_back(end)


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
    for match in words.finditer(utterance.text):
        if not named[match.start()]:
            form, slots = meanings[match[0]]
            found.append(Reference(form, *match.span(), slots, word=match[0]))
    return tuple(sorted(found, key=lambda reference: reference.start))


def references_within(references: Sequence[Reference], start: int, end: int) -> list[Reference]:
    """Return the references that lie in a span."""
    return [one for one in starting_within(references, start, end) if one.end <= end]


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
    return re.compile(alternatives(map(re.escape, meanings))), meanings
