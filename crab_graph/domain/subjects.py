"""What a domain's facts are about, for their words: form, slots, field and values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from crab_graph.dates import MINUTES_A_DAY
from crab_graph.domain.declaration import (
    Compare,
    Declaration,
    Offer,
    Rule,
    Slot,
    Want,
    Window,
    Wording,
)
from crab_graph.domain.fields import Choice, Clock, Several
from crab_graph.domain.layout import Nature, nature
from crab_graph.domain.requirements import trace_rule
from crab_graph.domain.tracing import REQUEST, UntraceablePredicate, parameters_of
from crab_graph.generation.constraints import Ref, Value
from crab_graph.personas.wordbook import ValueForm


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What one fact is about.

    Attributes:
        slots: The slots it concerns, in the domain's order.
        field: The field it bites on, where that has one name; a clock's is what decides it.
        values: What it can be, where that is known before a task is drawn.
        known: All that the field can be, for an agent may name what nobody wants.
        same: Whether it asks for one value of the field in all of its slots.
        sentence: What a rule says.
        codes: What the trade calls its values.
        joint: Whether it is a joint wish.
    """

    key: str
    form: ValueForm
    slots: tuple[str, ...]
    field: str
    values: tuple[Value, ...]
    known: tuple[Value, ...]
    wording: Wording
    compare: Compare = "equals"
    is_basic: bool = False
    is_role: bool = False
    same: bool = False
    sentence: str = ""
    codes: Mapping[str, str] | None = None
    joint: bool = False


@cache
def subjects(declaration: Declaration) -> tuple[Subject, ...]:
    """Return what a domain's users can want, in the order in which it is told.

    That is what is said first, which offers are meant before when; then the wants in their order,
    each optional rule behind the last that concerns no later slot. Who the user is, how it pays and
    its budget are no wants.
    """
    order = [slot.id for slot in declaration.slots]
    wants = [_of_want(declaration, want) for want in declaration.wants]
    window = [_of_window(declaration.window)] if declaration.window else []
    basic = [one for one in wants if one.is_basic]
    told = [one for one in wants if not one.is_basic]
    for rule in declaration.rules:
        if rule.is_optional:
            one = _of_rule(declaration, rule)
            last = _last(one, order)
            place = next((i for i, other in enumerate(told) if _last(other, order) > last), None)
            told.insert(len(told) if place is None else place, one)
    roles = [one for one in basic if one.is_role]
    return (*roles, *window, *(one for one in basic if not one.is_role), *told)


def says_kind(declaration: Declaration, subject: Subject) -> bool:
    """Tell whether a wish alone says what is meant by a slot, as a specialty does."""
    is_kind = subject.is_basic and subject.form is ValueForm.CHOICE and len(subject.slots) == 1
    others = (one for one in subjects(declaration) if one is not subject and one.is_basic)
    rivals = (one for one in others if one.form is subject.form and one.slots == subject.slots)
    return is_kind and not any(rivals)


def kinds_of(declaration: Declaration, slot: Slot) -> Iterator[Subject]:
    """Yield the wish that says what a slot is, if there is one."""
    own = (one for one in subjects(declaration) if one.slots == (slot.id,))
    yield from (one for one in own if says_kind(declaration, one))


def fields_of(declaration: Declaration, on: Sequence[str]) -> Iterator[tuple[str, Offer, str]]:
    """Yield slot, offer and name of the fields that refs such as `visit.date` name."""
    offers = {slot.id: slot.offer for slot in declaration.slots}
    for ref in on:
        slot, _, name = ref.partition(".")
        if slot in offers and name in offers[slot].fields:
            yield slot, offers[slot], name


def clock_hours(declaration: Declaration, subject: Subject) -> dict[Value, tuple[float, float]]:
    """Return the hours, `[from, until)`, in which a clock time tells each value of a wish.

    These are the parts of the day that the field declares. Where it declares none, a value's begin
    with the first time that it decides, in any of the slots, and end where those of the next begin,
    or with the last time that it decides.
    """
    offers = [slot.offer for slot in declaration.slots if slot.id in subject.slots]
    for offer in offers:
        field = offer.fields.get(subject.field)
        if isinstance(field, Choice) and field.hours:
            return {value: (first / 60, end / 60) for value, (first, end) in field.hours.items()}
    minutes: dict[Value, list[int]] = {}
    for offer in offers:
        clocks = (
            one
            for one in offer.fields.values()
            if isinstance(one, Clock) and one.sources == (subject.field,)
        )
        clock = next(clocks, None)
        for name, span in clock.hours.items() if clock else ():
            minutes.setdefault(name, []).extend(span if isinstance(span, tuple) else (span,))
    begins = sorted(min(own) for own in minutes.values())
    hours: dict[Value, tuple[float, float]] = {}
    for value, own in minutes.items():
        following = next((first for first in begins if first > min(own)), MINUTES_A_DAY)
        hours[value] = (min(own) / 60, max(following, max(own) + 1) / 60)
    return hours


def _last(subject: Subject, order: Sequence[str]) -> int:
    return max((order.index(slot) for slot in subject.slots if slot in order), default=-1)


def _of_want(declaration: Declaration, want: Want) -> Subject:
    found = list(fields_of(declaration, want.on))
    names = dict.fromkeys(name for _, _, name in found)
    values = () if callable(want.values) else tuple(dict.fromkeys(want.values))
    known: dict[Value, None] = {}
    codes: dict[str, str] = {}
    for _, offer, name in found:
        field = offer.fields[name]
        if isinstance(field, Choice | Several):
            known |= dict.fromkeys(field.values)
        if isinstance(field, Choice):
            codes |= {str(value): code for value, code in field.codes.items()}
    if not any(nature(offer, name) is Nature.DAY for _, offer, name in found):
        values = values or tuple(known)
    return Subject(
        want.key,
        _form(values, is_date=any(nature(offer, name) is Nature.DAY for _, offer, name in found)),
        tuple(dict.fromkeys(slot for slot, _, _ in found)),
        next(iter(names)) if len(names) == 1 else "",
        values,
        tuple(known) or values,
        want.wording,
        want.compare,
        want.basic,
        want.role,
        codes=codes,
    )


def _form(values: Sequence[Value], *, is_date: bool) -> ValueForm:
    if is_date:
        return ValueForm.DATE
    if not values:
        return ValueForm.TEXT
    if all(isinstance(value, bool) for value in values):
        return ValueForm.FLAG
    return ValueForm.COUNT if all(isinstance(one, int) for one in values) else ValueForm.CHOICE


def _of_window(window: Window) -> Subject:
    slot, _, field = window.on.partition(".")
    return Subject(
        window.key, ValueForm.DATE, (slot,), field, (), (), window.wording, is_basic=True
    )


def _of_rule(declaration: Declaration, rule: Rule) -> Subject:
    try:
        stated = trace_rule(declaration, rule)
    except UntraceablePredicate:
        slots = tuple(name for name in parameters_of(rule.holds) if name != REQUEST)
        alike: tuple[Ref, ...] = ()
    else:
        slots = stated.owners
        alike = stated.refs if stated.is_likeness else ()
    if rule.joint:
        form = _form(rule.values, is_date=False) if rule.values else ValueForm.FLAG
        values = rule.values or (True,)
        return Subject(
            rule.name, form, slots, "", tuple(values), tuple(values), rule.wording, joint=True
        )
    field, known = "", tuple[Value, ...]()
    if alike:
        field = alike[0][1]
        choice = declaration.field_at(".".join(alike[0]))
        known = tuple(choice.values) if isinstance(choice, Choice) else ()
    return Subject(
        rule.name,
        ValueForm.FLAG,
        slots,
        field,
        (True,),
        known,
        rule.wording,
        same=bool(alike),
        sentence=rule.sentence,
    )
