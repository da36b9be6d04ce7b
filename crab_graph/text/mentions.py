"""Which entities a message mentions and discloses, and what its words refer to (§2.3 to §2.10)."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from crab_graph.text.lexicon import alternatives, fragment, pattern
from crab_graph.text.utterance import Clause, Utterance, name_form
from crab_graph.text.vocabulary import Catalogue, NamedEntity, TextVocabulary

LISTING_CAP = 10

_GAP = r"(?:\W+[^\W_]+(?:['_-][^\W_]+)*)"
_WORD = re.compile(r"[^\W_]+")
_NAME_MARK = re.compile(r"[.'&]")
_NAME_FORMS = {mark: name_form(mark) for mark in ".'&"}


class MentionForm(StrEnum):
    """How an entity was mentioned."""

    ID = "id"
    NAME = "name"


class Mention(NamedTuple):
    """One mention of an entity.

    Attributes:
        form: By id or by name.
        kind: The kind of entity.
        entity_id: The id, in upper case; for a name, the id of the entity that bears it.
        start: Where the mention starts in the utterance.
        end: Where it ends.
        is_negated: Whether its clause says that it is not meant.
    """

    form: MentionForm
    kind: str
    entity_id: str
    start: int
    end: int
    is_negated: bool


@lru_cache(maxsize=256)
def find_mentions(utterance: Utterance, catalogue: Catalogue) -> tuple[Mention, ...]:
    """Return all mentions of bookable entities, in text order."""
    found = [*_id_mentions(utterance, catalogue), *_name_mentions(utterance, catalogue)]
    return tuple(sorted(found, key=lambda mention: (mention.start, mention.end)))


def find_ids(text: str, prefix: str) -> Iterable[re.Match[str]]:
    """Yield the id tokens with `prefix` in a normalised text."""
    return id_pattern(prefix).finditer(text)


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


@cache
def id_pattern(prefix: str) -> re.Pattern[str]:
    """Return the pattern of ids with `prefix`; a part of a longer id or of a range is none."""
    start = re.escape(prefix.casefold())
    # What must not stand before it is looked at last: a search for a text is the fastest.
    return re.compile(
        rf"{start}(?<![^\W_]{start})(?<![^\W_][-_]{start})-?\d+(?![^\W_])(?![-_][^\W_])"
    )


def is_negated(utterance: Utterance, start: int, end: int) -> bool:
    """Return whether the clause around a mention takes it back."""
    clause = utterance.clause_at(start)
    if _is_negated_before(utterance.text, clause, start):
        return True
    clause = utterance.clause_at(end - 1)
    return _negated_after().match(utterance.text, end, clause.end) is not None


def _is_negated_before(text: str, clause: Clause, start: int) -> bool:
    is_named = _negated_directly().search(text, clause.start, start) is not None
    if not is_named and not _is_refused(text, clause, start):
        return False
    return pattern("negation", "voids").search(text, clause.start, clause.end) is None


def _is_refused(text: str, clause: Clause, start: int) -> bool:
    """Return whether a refusal before `start` reaches it."""
    refusals = list(_refusal().finditer(text, clause.start, start))
    if not refusals:
        return False
    return pattern("negation", "scope_ends").search(text, refusals[-1].end(), start) is None


@cache
def _refusal() -> re.Pattern[str]:
    return re.compile(
        rf"{fragment('negation', 'negative_auxiliaries')}\s+{fragment('negation', 'verbs')}"
    )


@cache
def _negated_directly() -> re.Pattern[str]:
    return re.compile(rf"{fragment('negation', 'direct')}{_GAP}?\W*\Z")


@cache
def _negated_after() -> re.Pattern[str]:
    return re.compile(rf"{_GAP}{{0,3}}?\W+{fragment('negation', 'after')}")


def _id_mentions(utterance: Utterance, catalogue: Catalogue) -> Iterable[Mention]:
    text = utterance.text
    for kind, prefix in catalogue.vocabulary.prefixes.items():
        if prefix.casefold() not in text:
            continue
        for match in find_ids(text, prefix):
            negated = is_negated(utterance, match.start(), match.end())
            entity_id = match[0].upper()
            yield Mention(MentionForm.ID, kind, entity_id, match.start(), match.end(), negated)


def _name_mentions(utterance: Utterance, catalogue: Catalogue) -> Iterable[Mention]:
    taken: list[tuple[int, int]] = []
    for entity, start, end in _name_candidates(utterance.text, catalogue):
        if any(start < other_end and other_start < end for other_start, other_end in taken):
            continue
        taken.append((start, end))
        negated = is_negated(utterance, start, end)
        yield Mention(MentionForm.NAME, entity.kind, entity.entity_id, start, end, negated)


def _name_candidates(text: str, catalogue: Catalogue) -> list[tuple[NamedEntity, int, int]]:
    """Return every place where a full name stands, longest names first."""
    first_words = catalogue.names.keys() & set(_WORD.findall(name_form(text)))
    if not first_words:
        return []
    form = _NameText(text)
    found = []
    for match in _WORD.finditer(form.text):
        if match[0] not in first_words:
            continue
        for entity in catalogue.names[match[0]]:
            start, end = match.start(), match.start() + len(entity.name)
            if form.text.startswith(entity.name, start) and form.ends_word(end):
                found.append((entity, form.origin(start), form.origin(end - 1) + 1))
    found.sort(key=lambda candidate: (-len(candidate[0].name), candidate[1]))
    return found


class _NameText:
    """A text in the form names are compared in, with the way back to its positions."""

    def __init__(self, text: str) -> None:
        self._source = text
        parts: list[str] = []
        self._starts: list[int] = []
        self._origins: list[int] = []
        length = 0
        for start, end in self._pieces():
            part = _NAME_FORMS.get(text[start:end], text[start:end])
            if part:
                self._starts.append(length)
                self._origins.append(start)
                parts.append(part)
                length += len(part)
        self.text = "".join(parts)

    def _pieces(self) -> Iterable[tuple[int, int]]:
        last = 0
        for mark in _NAME_MARK.finditer(self._source):
            if mark.start() > last:
                yield last, mark.start()
            yield mark.span()
            last = mark.end()
        yield last, len(self._source)

    def origin(self, position: int) -> int:
        """Return the position in the source of a character of the form."""
        piece = bisect_right(self._starts, position) - 1
        start = self._origins[piece]
        if self._source[start] == "&":
            return start
        return start + position - self._starts[piece]

    def ends_word(self, end: int) -> bool:
        """Return whether a name that ends here is a whole word, or one with a possessive s."""
        if not self.text[end : end + 1].isalnum():
            return True
        return self._source.startswith("'s", self.origin(end - 1) + 1)


class ReferenceForm(StrEnum):
    """How something is referred to."""

    ENTITY = "entity"
    BOOKING = "booking"
    SLOT_WORD = "slot_word"
    GROUP_WORD = "group_word"
    BARE_WORD = "bare_word"
    TRIP_WORD = "trip_word"


class Reference(NamedTuple):
    """A word, name or id that refers to the trip, to slots or to one item.

    Attributes:
        form: What kind of words it is.
        start: Where it starts in the utterance.
        end: Where it ends.
        slots: The slots it stands for; for a bare word those of its kind, for a trip word none.
        id: Entity or booking id, in upper case; empty for words.
        word: The word itself; empty for ids and names.
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
    """Return all references of a message, in text order.

    Args:
        utterance: The message.
        mentions: Its entity mentions.
        catalogue: What can be mentioned.
        booking_slots: The slot of each booking made in the episode.
    """
    entities = [_entity_reference(mention, catalogue) for mention in mentions]
    named = [
        (mention.start, mention.end) for mention in mentions if mention.form is MentionForm.NAME
    ]
    words = [
        reference
        for reference in _word_references(utterance.text, catalogue.vocabulary)
        if not any(start <= reference.start < end for start, end in named)
    ]
    bookings = []
    for match in find_ids(utterance.text, catalogue.vocabulary.booking_prefix):
        booking_id = match[0].upper()
        slot = booking_slots.get(booking_id)
        if slot is not None:
            bookings.append(Reference(ReferenceForm.BOOKING, *match.span(), (slot,), booking_id))
    found = [*(entity for entity in entities if entity.slots), *bookings, *words]
    return tuple(sorted(found, key=lambda reference: reference.start))


def references_within(references: Sequence[Reference], start: int, end: int) -> list[Reference]:
    """Return the references that lie in a span."""
    return [
        reference for reference in references if start <= reference.start and reference.end <= end
    ]


def _entity_reference(mention: Mention, catalogue: Catalogue) -> Reference:
    slot = catalogue.slot_of(mention.entity_id)
    slots = () if slot is None else (slot,)
    return Reference(ReferenceForm.ENTITY, mention.start, mention.end, slots, mention.entity_id)


def _word_references(text: str, vocabulary: TextVocabulary) -> list[Reference]:
    meanings = _word_meanings(vocabulary)
    references = []
    for match in _word_pattern(vocabulary).finditer(text):
        form, slots = meanings[match[0]]
        references.append(Reference(form, *match.span(), slots, word=match[0]))
    return references


@lru_cache(maxsize=16)
def _word_pattern(vocabulary: TextVocabulary) -> re.Pattern[str]:
    return re.compile(alternatives(re.escape(word) for word in _word_meanings(vocabulary)))


@lru_cache(maxsize=16)
def _word_meanings(
    vocabulary: TextVocabulary,
) -> Mapping[str, tuple[ReferenceForm, tuple[str, ...]]]:
    meanings: dict[str, tuple[ReferenceForm, tuple[str, ...]]] = {}
    for kind, words in vocabulary.bare_words.items():
        slots = tuple(slot for slot, of_kind in vocabulary.slots.items() if of_kind == kind)
        meanings.update({word: (ReferenceForm.BARE_WORD, slots) for word in words})
    for slot, words in vocabulary.slot_words.items():
        meanings.update({word: (ReferenceForm.SLOT_WORD, (slot,)) for word in words})
    for word, slots in vocabulary.group_words.items():
        meanings[word] = (ReferenceForm.GROUP_WORD, slots)
    meanings.update({word: (ReferenceForm.TRIP_WORD, ()) for word in vocabulary.trip_words})
    return meanings
