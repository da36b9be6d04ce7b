"""Words of what agents ask for and nobody wants.

Fields of offers that no wish reads, in any slot or in one of those that have them, hours, prices of
parts, and which of several plans that fit.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from crab_graph.domain.declaration import Declaration, Offer, Slot, Wording
from crab_graph.domain.english import any_of, spoken
from crab_graph.domain.fields import Choice, Clock, Day, Several
from crab_graph.domain.requirements import trace_rule
from crab_graph.domain.subjects import Subject, subjects
from crab_graph.domain.templates import filled
from crab_graph.domain.tracing import UntraceablePredicate
from crab_graph.generation.constraints import Value
from crab_graph.personas.wordbook import ValueForm

_HOURS_LAST = re.compile(r"(.+ )(?:times?|hours?|timings?|clock)")
PART_PRICE = "part_price"
"""What one part may cost, of which nobody says a limit who has none for the whole."""
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
    for subject in _only_alike(declaration):
        words = {"noun": spoken(subject.field), "values_cue": any_of(map(str, subject.known))}
        yield f"which_{subject.field}", filled(shared["which"], words)
    if declaration.budget is not None:
        yield PART_PRICE, shared[PART_PRICE]
        yield "pick", shared["pick"]


def _only_alike(declaration: Declaration) -> Iterator[Subject]:
    """Yield the wishes for likeness of which nobody says that any value of the field will do.

    To who asks which of these it is to be it is no answer that two may differ.
    """
    for one in subjects(declaration):
        none = [one.wording.none] if isinstance(one.wording.none, str) else one.wording.none
        is_few = 1 < len(one.known) <= _MOST_VALUES and all(isinstance(v, str) for v in one.known)
        is_said = any(f"any {spoken(one.field)}" in text.casefold() for text in none)
        if one.same and is_few and any(none) and not is_said:
            yield one


def _unwished_fields(declaration: Declaration) -> Iterator[tuple[str, Choice]]:
    """Yield the fields of offers in words that no wish is about, each name once."""
    seen = {one.field for one in subjects(declaration)}
    for offer in declaration.offers:
        hours = hour_fields(offer)
        for name, field in offer.fields.items():
            if name in seen or name in hours:
                continue
            if not isinstance(field, Choice) or len(field.values) > _MOST_VALUES:
                continue
            if all(isinstance(value, str) for value in field.values):
                seen.add(name)
                yield name, field


def hour_fields(offer: Offer) -> tuple[str, ...]:
    """Return the fields in words that decide by themselves at what time something is."""
    clocks = (one for one in offer.fields.values() if isinstance(one, Clock))
    names = dict.fromkeys(one.sources[0] for one in clocks if len(one.sources) == 1)
    return tuple(name for name in names if isinstance(offer.fields.get(name), Choice))


def unwished_hours(declaration: Declaration) -> Iterator[Subject]:
    """Yield the hours of each slot of which no wish reads any, as if somebody wished for them."""
    seen = {one.field for one in subjects(declaration)}
    for slot in declaration.slots:
        names = [name for name in hour_fields(slot.offer) if name not in seen]
        values = [one for name in names for one in _values_of(slot.offer, name, str)]
        if values:
            yield _subject(
                f"{slot.id}_at_what_time", slot, names[0], ValueForm.CHOICE, tuple(values)
            )


def hour_words(declaration: Declaration) -> str:
    """Return the fragment that keeps words for hours apart from names, as `Bright Hour` is one."""
    names = (
        value.casefold()
        for offer in declaration.offers
        for field in offer.fields.values()
        if isinstance(field, Choice | Several)
        for value in field.values
        if isinstance(value, str)
    )
    leads = dict.fromkeys(found[1] for name in names if (found := _HOURS_LAST.fullmatch(name)))
    return "".join(rf"(?<!{re.escape(lead)})" for lead in leads)


def unwished_in_slots(declaration: Declaration) -> Iterator[Subject]:
    """Yield what is wished of some slots and not of others, as if it were a wish of each of these.

    Nobody says of a time of day that any will do who wants one elsewhere. Days between which
    somebody stays follow from other wishes.
    """
    wished = [one for one in subjects(declaration) if one.slots]
    keys = {one.key for one in subjects(declaration)}
    named = {one.field for one in wished} | {"date"}
    counted = {one.field for one in wished if one.form is ValueForm.COUNT}
    tied = {
        ref for one in declaration.slots if one.stay for ref in (one.stay.begins, one.stay.ends)
    }
    tied |= _days_of_window(declaration)
    for slot in declaration.slots:
        for name in slot.offer.fields:
            key, is_day = f"{slot.id}_{name}", isinstance(slot.offer.fields[name], Day)
            is_wished = any(one.field == name and slot.id in one.slots for one in wished)
            if is_wished or key in keys or f"{slot.id}.{name}" in tied or name in slot.role:
                continue
            if is_day and slot.stay is None and name not in slot.offer.incidental:
                yield _subject(key, slot, name, ValueForm.DATE, ())
            elif name in named and (values := _values_of(slot.offer, name, str)):
                yield _subject(key, slot, name, ValueForm.CHOICE, values)
            elif (name in counted or name in _numbers_of(declaration, slot)) and (
                values := _values_of(slot.offer, name, int)
            ):
                yield _subject(key, slot, name, ValueForm.COUNT, values)


def _days_of_window(declaration: Declaration) -> set[str]:
    """Return the days that are the window's: its own, and those that rules hold to be the same."""
    if declaration.window is None:
        return set()
    alike: list[set[str]] = []
    for rule in declaration.rules:
        # What cannot be traced, or names no slot, is told of where declarations are checked.
        with suppress(UntraceablePredicate, KeyError):
            stated = trace_rule(declaration, rule)
            if stated.is_likeness and not (rule.is_optional or rule.joint):
                alike.append({".".join(ref) for ref in stated.refs})
    tied = {declaration.window.on}
    for _ in alike:
        tied |= set().union(*(own for own in alike if own & tied))
    return tied


def _numbers_of(declaration: Declaration, slot: Slot) -> set[str]:
    """Return the few numbers of a slot's offers of which no domain words say what to answer.

    How long something stays open is known from the nights that somebody stays.
    """
    worded = declaration.lexicon.get("unwished", {})
    return {
        name
        for name, field in slot.offer.fields.items()
        if type(field) is Choice and len(field.values) <= _MOST_VALUES
        if slot.stay is None and name not in worded
    }


def days_bound_by_wishes(declaration: Declaration) -> set[str]:
    """Return the slots whose days a rule bounds by a number that users wish for."""
    keys = {one.key for one in declaration.wants}
    offers = {slot.id: slot.offer for slot in declaration.slots}
    found: set[str] = set()
    for rule in declaration.rules:
        # What cannot be traced, or names no slot, is told of where declarations are checked.
        with suppress(UntraceablePredicate, KeyError):
            stated = trace_rule(declaration, rule)
            days = {slot for slot, name in stated.refs if _is_day(offers[slot], name)}
            found |= days if keys.intersection(stated.given) else set()
    return found


def _is_day(offer: Offer, name: str) -> bool:
    return isinstance(offer.fields.get(name), Day)


def _values_of(offer: Offer, name: str, kind: type) -> tuple[Value, ...]:
    field = offer.fields[name]
    values = field.values if isinstance(field, Choice | Several) else ()
    return tuple(values) if all(isinstance(one, kind) for one in values) else ()


def _subject(
    key: str, slot: Slot, name: str, form: ValueForm, values: tuple[Value, ...]
) -> Subject:
    return Subject(key, form, (slot.id,), name, values, values, Wording())
