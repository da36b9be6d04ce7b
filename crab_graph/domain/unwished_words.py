"""Words of what agents ask for and nobody wants.

Fields of offers that no wish reads, in any slot or in one of those that have them, prices of parts,
and which of several plans that fit.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from crab_graph.domain.declaration import Declaration, Offer, Slot, Wording
from crab_graph.domain.english import any_of, spoken
from crab_graph.domain.fields import Choice, Day, Several
from crab_graph.domain.subjects import Subject, subjects
from crab_graph.domain.templates import filled
from crab_graph.personas.wordbook import ValueForm

_MOST_VALUES = 6
"""Of a field with more values nobody asks which of them it is to be."""


def unwished_words(
    declaration: Declaration, shared: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the words of each such thing, under a name of its own."""
    for name, field in _unwished_fields(declaration):
        noun = spoken(name).removesuffix(" name")
        words = {
            "noun": noun,
            "noun_cue": any_of((noun,)),
            "values_cue": any_of(map(str, field.values)),
        }
        yield name, filled(shared["choice"], words)
    if declaration.budget is not None:
        yield "part_price", shared["part_price"]
        yield "pick", shared["pick"]


def _unwished_fields(declaration: Declaration) -> Iterator[tuple[str, Choice]]:
    """Yield the fields of offers in words that no wish is about, each name once."""
    seen = {one.field for one in subjects(declaration)}
    for offer in declaration.offers:
        for name, field in offer.fields.items():
            if name in seen or not isinstance(field, Choice) or len(field.values) > _MOST_VALUES:
                continue
            if all(isinstance(value, str) for value in field.values):
                seen.add(name)
                yield name, field


def unwished_in_slots(declaration: Declaration) -> Iterator[Subject]:
    """Yield what is wished of some slots and not of others, as if it were a wish of each of these.

    Nobody says of a time of day that any will do who wants one elsewhere. Days between which
    somebody stays follow from other wishes.
    """
    wished = [one for one in subjects(declaration) if one.slots]
    keys = {one.key for one in subjects(declaration)}
    named = {one.field for one in wished} | {"date"}
    tied = {
        ref for one in declaration.slots if one.stay for ref in (one.stay.begins, one.stay.ends)
    }
    tied |= {declaration.window.on} if declaration.window else set()
    for slot in declaration.slots:
        for name in slot.offer.fields:
            key, is_day = f"{slot.id}_{name}", isinstance(slot.offer.fields[name], Day)
            is_wished = any(one.field == name and slot.id in one.slots for one in wished)
            if is_wished or key in keys or f"{slot.id}.{name}" in tied or name in slot.role:
                continue
            if is_day and slot.stay is None and name not in slot.offer.incidental:
                yield _subject(key, slot, name, ValueForm.DATE, ())
            elif name in named and (values := _values_of(slot.offer, name)):
                yield _subject(key, slot, name, ValueForm.CHOICE, values)


def _values_of(offer: Offer, name: str) -> tuple[str, ...]:
    field = offer.fields[name]
    values = field.values if isinstance(field, Choice | Several) else ()
    return tuple(map(str, values)) if all(isinstance(one, str) for one in values) else ()


def _subject(key: str, slot: Slot, name: str, form: ValueForm, values: tuple[str, ...]) -> Subject:
    return Subject(key, form, (slot.id,), name, values, values, Wording())
