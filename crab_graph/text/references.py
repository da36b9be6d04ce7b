"""What the words around an amount refer to: the trip, slots, items (§2.9, §2.10)."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from crab_graph.text.clauses import Utterance
from crab_graph.text.lexicon import alternatives
from crab_graph.text.mentions import Mention, MentionForm, find_ids
from crab_graph.text.vocabulary import Catalogue, TextVocabulary


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
