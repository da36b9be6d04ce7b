"""The words of a domain as the text layer needs them, from its declaration (rulebook §2.8-2.10)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from crab_graph.domain.declaration import Count, Declaration, Each, Offer, Slot, texts_of
from crab_graph.domain.english import plural, practitioner, singular
from crab_graph.domain.fields import Choice
from crab_graph.domain.subjects import kinds_of
from crab_graph.personas.spoken_dates import NUMBERS
from crab_graph.text.articles import with_article
from crab_graph.text.vocabulary import HumanWords, TextVocabulary

BOOKING_PREFIX = "BK"
_EVERYTHING = ("everything", "all", "bookings", "whole thing")
_ANYONE = ("people", "person")
_DROPPED = {"a", "an", "the", "of", "for", "in", "at", "to", "and"}


@cache
def vocabulary(declaration: Declaration) -> TextVocabulary:
    """Return a domain's closed word lists; `Declaration.vocabulary` replaces fields of them.

    Raises:
        TypeError: it names a field that there is not.
    """
    offers = {offer.booked_as: offer for offer in declaration.offers}
    shared = {kind: slots for kind in offers if len(slots := _slots_of(declaration, kind)) > 1}
    derived = TextVocabulary(
        prefixes={kind: id_prefix(offer) for kind, offer in offers.items()},
        named_kinds=frozenset(kind for kind, offer in offers.items() if has_names(offer)),
        booking_prefix=BOOKING_PREFIX,
        slots={slot.id: slot.kind for slot in declaration.slots},
        slot_words={
            slot.id: (*slot_words(declaration, slot), *_kinds_of(declaration, slot))
            for slot in declaration.slots
        },
        group_words={plural(kind_words(offers[kind])[0]): slots for kind, slots in shared.items()},
        bare_words={kind: _bare_words(offers[kind]) for kind in shared},
        item_words=frozenset(kind_words(offers[kind])[0] for kind in shared),
        whole_words=whole_words(declaration),
        priced_words=_own_words(declaration)[:-1],
        unit_phrases=tuple(_unit_phrases(declaration)),
        person_phrases=_person_phrases(declaration),
        counted_words=tuple(dict.fromkeys(_counted_words(declaration))),
        human=HumanWords(tuple(texts_of(declaration.human)), tuple(texts_of(declaration.nobody))),
    )
    return replace(derived, **{name: _frozen(one) for name, one in declaration.vocabulary.items()})


def id_prefix(offer: Offer) -> str:
    """Return the prefix of the ids of what bookings name: of the provider, where there is one."""
    return offer.provider.prefix if offer.provider else offer.prefix


def has_names(offer: Offer) -> bool:
    """Tell whether what is booked has a name, not an id alone."""
    return (offer.provider.names if offer.provider else offer.names) is not None


def kind_words(offer: Offer) -> tuple[str, ...]:
    """Return the words that mean an offer, singular, the best first; else what it is booked as."""
    words = offer.words or (offer.booked_as.replace("_", " "),)
    return tuple(dict.fromkeys(singular(word.casefold()) for word in words))


def names_of(offer: Offer) -> tuple[str, ...]:
    """Return the values by which offers are called, such as a museum, where names go by a field."""
    field = offer.fields.get(offer.names.by) if offer.names and offer.names.by else None
    values = field.values if isinstance(field, Choice) else ()
    return tuple(str(one).casefold() for one in values if isinstance(one, str))


def _kinds_of(declaration: Declaration, slot: Slot) -> Iterator[str]:
    """Yield what a slot is called by the wish that says what it is: such as a specialty."""
    for subject in kinds_of(declaration, slot):
        for value in map(str, subject.values):
            yield value.casefold()
            yield from practitioner(value.casefold())


def slot_words(declaration: Declaration, slot: Slot) -> tuple[str, ...]:
    """Return the words that mean one slot.

    They are those declared; else those of its title that no other slot's title has, of which there
    are some since titles differ. Where nothing else is booked of its kind that one's words mean it.
    """
    words = tuple(word.casefold() for word in slot.words)
    if not words:
        others = [one.title.casefold().split() for one in declaration.slots if one.id != slot.id]
        taken = _DROPPED.union(*others)
        words = tuple(word for word in slot.title.casefold().split() if word not in taken)
    if len(_slots_of(declaration, slot.kind)) == 1:
        elsewhere = {word.casefold() for one in declaration.slots for word in one.words}
        words += tuple(word for word in kind_words(slot.offer) if word not in elsewhere)
    return tuple(dict.fromkeys(words)) or (slot.title.casefold(),)


def whole_words(declaration: Declaration) -> tuple[str, ...]:
    """Return the words that mean everything together."""
    *own, number = _own_words(declaration)
    return tuple(dict.fromkeys((*own, *_EVERYTHING, number)))


def _own_words(declaration: Declaration) -> tuple[str, ...]:
    """Return the words that mean the whole job, and the number of its slots."""
    count = len(declaration.slots)
    number = next((word for word, value in NUMBERS.items() if value == count), str(count))
    own = [word.casefold() for word in (declaration.job, *declaration.whole) if word != number]
    return tuple(dict.fromkeys((*own, _EVERYTHING[0], _EVERYTHING[-1], number)))


def people_words(declaration: Declaration) -> tuple[str, ...]:
    """Return the words for one of those whom a job is for; none where it is the customer alone."""
    people = declaration.people
    return () if people is None else (people.noun, *people.words)


def units_of(offer: Offer) -> tuple[str, ...]:
    """Return what one unit of an offer is called: by its own word, and by what the tools count."""
    argument = offer.holds.argument if isinstance(offer.holds, Each | Count) else offer.unit
    return tuple(dict.fromkeys((offer.unit.casefold(), singular(argument.replace("_", " ")))))


def _slots_of(declaration: Declaration, kind: str) -> tuple[str, ...]:
    return tuple(slot.id for slot in declaration.slots if slot.kind == kind)


def _bare_words(offer: Offer) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*kind_words(offer), *offer.words)))


def _unit_phrases(declaration: Declaration) -> Iterator[str]:
    units = {word: None for offer in declaration.offers for word in units_of(offer)}
    yield from map(with_article, units)
    yield f"/ ?(?:{'|'.join((*units, *_spelled(*people_words(declaration)), 'person'))})"


def _person_phrases(declaration: Declaration) -> tuple[str, ...]:
    words = "|".join((*_spelled(*people_words(declaration)), *_ANYONE, "head"))
    return (f"(?:per|a|/) ?(?:{words})",)


def _counted_words(declaration: Declaration) -> Iterator[str]:
    own = [word for offer in declaration.offers for word in units_of(offer)]
    for word in (*own, *_spelled(*people_words(declaration))):
        yield plural(word)
        yield word
    yield from _ANYONE


def _spelled(*words: str) -> Iterator[str]:
    """Yield words in British and in American spelling."""
    for word in words:
        yield from dict.fromkeys((word, word.replace("eller", "eler")))


def _frozen(value: Any) -> Any:
    """Return a value of a file as the vocabulary keeps it."""
    if isinstance(value, Mapping):
        return {key: _frozen(one) for key, one in value.items()}
    return tuple(value) if isinstance(value, list) else value
