"""What a request asks of offers: its constraint graph (paper section 3.2.1).

Constraints of one node say which offers are meant and what is liked of them, `<slot>_<field>`, on
which day, by the window's key, and that there is room, `<slot>_party` and `<slot>_units`. Rules
between nodes keep their names.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from crab_graph.dates import day_number
from crab_graph.domain.declaration import (
    TOTAL_BUDGET,
    Compare,
    Declaration,
    Offer,
    Rule,
    Slot,
)
from crab_graph.domain.fields import Capacity, Choice, Field, Several, Stock
from crab_graph.domain.kind import Kind, bounded_cost
from crab_graph.domain.layout import Nature, counts_people, field_of, nature
from crab_graph.domain.request_types import GIVEN_UP, SETTLED
from crab_graph.domain.tracing import NUMBER, REQUEST, TEXT, TracedCondition, parameters_of, trace
from crab_graph.generation.constraint_graph import ConstraintGraph, Node
from crab_graph.generation.constraints import (
    Constraint,
    Ref,
    Value,
    at_least,
    at_most,
    equals,
    one_of,
    within,
)
from crab_graph.money import format_dollars
from crab_graph.text.articles import filled_in

Maker = Callable[[Any], Constraint | None]
"""Makes a constraint of a request, if it asks for it."""

_COMPARISONS: Mapping[str, tuple[Callable[..., Any], str, str]] = {
    "equals": (equals, "required", "{} is {{}}"),
    "at_least": (at_least, "minimum", "{} is at least {{}}"),
    "at_most": (at_most, "maximum", "{} is at most {{}}"),
}


def field_types(offer: Offer) -> dict[str, str]:
    """Return what the fields of an offer are in predicates, by name."""
    texts = (Nature.TEXT, Nature.SET)
    return {name: TEXT if nature(offer, name) in texts else NUMBER for name in offer.fields}


def request_types(declaration: Declaration) -> dict[str, str]:
    """Return what the values of requests are in predicates, by name; days are day numbers."""
    types: dict[str, str] = {}
    if declaration.window is not None:
        types |= {"first_day": NUMBER, "last_day": NUMBER}
    if declaration.budget is not None:
        types["budget_cents"] = NUMBER
    for want in declaration.wants:
        refs = [ref.split(".") for ref in want.on]
        offers = {slot.id: slot.offer for slot in declaration.slots}
        found = [field_types(offers[slot])[name] for slot, name in refs]
        values = () if callable(want.values) else want.values
        found += [TEXT if isinstance(value, str) else NUMBER for value in values]
        types[want.key] = NUMBER if NUMBER in found or not found else TEXT
    for rule in declaration.joint_rules:
        if rule.values or rule.least:
            is_text = bool(rule.values) and isinstance(rule.values[0], str)
            types[rule.name] = TEXT if is_text else NUMBER
    return types


def days_of(declaration: Declaration) -> set[str]:
    """Return the values of requests that are ISO dates, where constraints compute with days."""
    offers = {slot.id: slot.offer for slot in declaration.slots}
    bound = {(want.key, *ref.split(".")) for want in declaration.wants for ref in want.on}
    days = {key for key, slot, name in bound if nature(offers[slot], name) is Nature.DAY}
    return {"first_day", "last_day"} | days


def trace_rule(declaration: Declaration, rule: Rule) -> TracedCondition:
    """Return what a rule states.

    Raises:
        UntraceablePredicate: it is not made of operators over fields and the request.
    """
    offers = {slot.id: slot.offer for slot in declaration.slots}
    names = parameters_of(rule.holds)
    owners = {name: field_types(offers[name]) for name in names if name != REQUEST}
    given = request_types(declaration) if REQUEST in names else None
    return trace(rule.holds, owners, given)


def domain_rules(offer: Offer) -> tuple[Constraint, ...]:
    """Return what holds of every offer of a kind, as constraints of its node type.

    Raises:
        UntraceablePredicate: one of them is not made of operators over its fields.
    """
    kind = offer.booked_as
    made = []
    for sentence, predicate in offer.always.items():
        (name,) = parameters_of(predicate)
        stated = trace(predicate, {name: field_types(offer)})
        refs = tuple((kind, field) for _, field in stated.refs)
        made.append(Constraint(sentence, refs, stated.predicate, sentence=sentence))
    return tuple(made)


class GraphMaker:
    """Makes the constraint graphs of requests; what is the same for all of them is found once."""

    def __init__(self, declaration: Declaration, kinds: Mapping[str, Kind]) -> None:
        """Prepare for a declaration and the kind of each of its slots."""
        self.nodes = tuple(Node(slot.id, slot.kind) for slot in declaration.slots)
        self.conditions = {rule.name: trace_rule(declaration, rule) for rule in declaration.rules}
        self._makers: tuple[Maker, ...] = (
            *(make for slot in declaration.slots for make in _of_slot(declaration, slot)),
            *(_edge(declaration, rule, self.conditions[rule.name]) for rule in declaration.rules),
        )
        if declaration.budget is not None:
            self._makers += (partial(_bounded, declaration.job, kinds),)
        self._least = {rule.name for rule in declaration.joint_rules if rule.least}

    def graph(self, request: Any) -> ConstraintGraph:
        """Return the constraint graph of a request.

        A wish for the least sum asks for nothing as long as that is not settled.
        """
        made = tuple(one for make in self._makers if (one := make(request)) is not None)
        given_up, settled = getattr(request, GIVEN_UP, ()), dict(getattr(request, SETTLED, ()))
        open_ = self._least - settled.keys()
        made = tuple(one for one in made if one.name not in open_)
        if not (given_up or settled):
            return ConstraintGraph(self.nodes, made)
        asked = tuple(
            self._settled(one, settled[one.name]) if one.name in settled else one
            for one in made
            if one.name not in given_up
        )
        missed = tuple(one for one in made if one.name in given_up)
        among = [one for one in made if one.name in settled and one.name not in self._least]
        sums = [one for one in made if one.name in settled and one.name in self._least]
        return ConstraintGraph(
            self.nodes,
            asked,
            missed,
            rivals=tuple(_rival(one, settled[one.name]) for one in among),
            lesser=tuple(at_most_sum(one, int(settled[one.name]) - 1) for one in sums),
        )

    def _settled(self, stated: Constraint, value: Value) -> Constraint:
        """Return what a wish that the tables settle comes to."""
        return (
            at_most_sum(stated, int(value)) if stated.name in self._least else _one(stated, value)
        )


class _Wish(NamedTuple):
    """What is asked of one field of a slot's offer, but for the value."""

    name: str
    ref: Ref
    compare: Compare
    sentence: str
    field: Field
    is_day: bool
    structural: bool

    def of(self, value: Value | None) -> Constraint | None:
        """Return the constraint that the field is as wished; `None` is no wish."""
        if value is None:
            return None
        sentence = filled_in(self.sentence, value)
        predicate, constant, _ = _COMPARISONS[self.compare]
        wanted: Any = day_number(str(value)) if self.is_day else value
        if isinstance(self.field, Several):
            predicate, constant, wanted = one_of, "choices", self.field.holding(str(value))
        return Constraint(
            self.name,
            (self.ref,),
            predicate,
            {constant: wanted},
            sentence,
            structural=self.structural,
        )


def _of_slot(declaration: Declaration, slot: Slot) -> Iterator[Maker]:
    """Yield what is asked of one slot: which offers are meant, the day, what is liked, room."""
    for name, value in slot.role.items():
        wish = _wish(slot, name, f"{slot.id}_{name}", structural=True)
        yield partial(_fixed, wish.of(value))
    window = declaration.window
    refs = {ref: ref.split(".") for want in declaration.wants for ref in want.on}
    if window is not None and window.on.split(".")[0] == slot.id:
        yield partial(_in_window, window.key, (slot.id, window.on.split(".")[1]))
    taken = set(slot.role)
    for want in declaration.wants:
        for owner, name in (refs[ref] for ref in want.on):
            if owner == slot.id:
                named = f"{slot.id}_{want.key if name in taken else name}"
                wish = _wish(slot, name, named, want.compare, want.sentence, structural=want.role)
                yield partial(_wished, wish, want.key)
                taken.add(name)
    for place, (name, key) in enumerate(_room(declaration, slot.offer)):
        yield partial(_has_room, f"{slot.id}_{ROOM[place]}", (slot.id, name), key)


def _wish(
    slot: Slot,
    name: str,
    named: str,
    compare: Compare = "equals",
    sentence: str = "",
    *,
    structural: bool,
) -> _Wish:
    field = slot.offer.fields[name]
    verb = "{} include {{}}" if isinstance(field, Several) else _COMPARISONS[compare][2]
    is_day = nature(slot.offer, name) is Nature.DAY
    said = sentence or verb.format(name.replace("_", " "))
    return _Wish(named, (slot.id, name), compare, said, field, is_day, structural)


def _fixed(constraint: Constraint | None, request: Any) -> Constraint | None:
    return constraint


def _wished(wish: _Wish, key: str, request: Any) -> Constraint | None:
    return wish.of(getattr(request, key))


def _in_window(key: str, ref: Ref, request: Any) -> Constraint:
    first, last = request.first_day, request.last_day
    days = {"first": day_number(first), "last": day_number(last)}
    sentence = f"is {first}" if first == last else f"is between {first} and {last}"
    return Constraint(key, (ref,), within, days, sentence)


ROOM = ("party", "units")
"""Ends of the names of the constraints that there is room for all, and as many as are needed."""


def _room(declaration: Declaration, offer: Offer) -> Iterator[tuple[str, str | None]]:
    """Yield fields that must be as large as a want, or at least one, with that want's key."""
    capacity, stock = field_of(offer, Capacity), field_of(offer, Stock)
    people = declaration.people
    if capacity is not None and people is not None and counts_people(declaration, offer):
        yield capacity, people.size
    elif capacity is not None:
        yield capacity, offer.units
    if stock is not None:
        yield stock, offer.units


def _has_room(named: str, ref: Ref, key: str | None, request: Any) -> Constraint:
    size = 1 if key is None else getattr(request, key)
    return Constraint(named, (ref,), at_least, {"minimum": size}, f"has room for {size}")


def admitted(declaration: Declaration, rule: Rule, asked: Value) -> tuple[Value, ...]:
    """Return the values of its one field that a joint wish lets, of which the cheaper one counts.

    `asked` is its own value in a request.
    """
    stated, field = trace_rule(declaration, rule), declaration.field_at(rule.whichever)
    values = field.values if isinstance(field, Choice) else ()
    given = {rule.name: asked} if rule.name in stated.given else {}
    return tuple(one for one in values if stated.predicate(one, **given))


def at_most_sum(stated: Constraint, cents: int) -> Constraint:
    """Return that what a wish wants to be the least is so much at most."""
    sentence = f"{stated.sentence}: {format_dollars(cents)}"
    constants = {**stated.constants, stated.name: cents}
    return replace(stated, constants=constants, sentence=sentence)


def _one(stated: Constraint, value: Value) -> Constraint:
    """Return what a wish for the cheaper of some values comes to, by the tables."""
    sentence = f"{stated.sentence}: {value}"
    return replace(stated, predicate=equals, constants={"required": value}, sentence=sentence)


def _rival(stated: Constraint, value: Value) -> Constraint:
    """Return that a wish for the cheaper of some values takes another one of these."""

    def other(own: Any, **constants: Any) -> Any:
        return stated.predicate(own, **constants) & (own != value)

    return replace(stated, predicate=other)


def _edge(declaration: Declaration, rule: Rule, stated: TracedCondition) -> Maker:
    days = days_of(declaration)

    def make(request: Any) -> Constraint | None:
        if rule.is_optional and not getattr(request, rule.name):
            return None
        given = {name: getattr(request, name) for name in stated.given}
        if None in given.values() or (rule.is_settled and request.budget_cents is None):
            # It is about a wish that this request does not have.
            return None
        constants = {
            name: day_number(value) if name in days else value for name, value in given.items()
        }
        sentence = filled_in(rule.sentence, r=request)
        return Constraint(rule.name, stated.refs, stated.predicate, constants, sentence)

    return make


def _bounded(job: str, kinds: Mapping[str, Kind], request: Any) -> Constraint | None:
    budget = request.budget_cents
    if budget is None:
        return None
    sentence = f"the whole {job} costs at most {format_dollars(budget)}"
    return bounded_cost(TOTAL_BUDGET, kinds, request, budget, sentence)
