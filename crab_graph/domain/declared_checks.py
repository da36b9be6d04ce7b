"""The checks that a declaration stands for, and which facts decide which of them (rulebook §4).

Each slot is filled, and as wished; units are as many as wanted, of one offer; the window, each rule
and the budget hold. Where an offer is held by the day, the days booked stand in for those on which
the stay must begin and end: that it begins on its day is a check, and so is that what rules say of
these days, or of them and the offer, holds of the days booked.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.declaration import (
    TOTAL_BUDGET,
    Count,
    Declaration,
    Each,
    Offer,
    Rule,
    Slot,
    Stay,
)
from crab_graph.domain.fields import Capacity, Stock
from crab_graph.domain.layout import counts_people
from crab_graph.domain.verification import (
    BOOKED_PLACES,
    BOOKED_UNITS,
    IS_ONE_OFFER,
    TOTAL,
    DomainCheck,
    Role,
)
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import (
    Constraint,
    Ref,
    at_least,
    bounded_sum,
    equals,
    within,
)

UNITS = "D06"
"""Label of the check that as many units are booked as wanted."""

_WANTED = re.compile(r"\{r\.\w+\}")
"""A value of the request in the sentence of a rule."""

Decided = dict[str, tuple[Constraint, ...]]


@dataclass(frozen=True)
class StaySlot:
    """A slot whose offer is held by the day.

    Attributes:
        begins: Label of the check that it begins as it must.
        holds: Label of the check that what speaks of its days holds of the days booked.
        days: The days on which it must begin and end, and the days booked in their stead.
    """

    slot: Slot
    begins: str
    holds: str
    days: Mapping[Ref, Ref]


@dataclass(frozen=True)
class DeclaredChecks:
    """The checks of a domain."""

    blueprint: Blueprint

    @property
    def declaration(self) -> Declaration:
        """What declares them."""
        return self.blueprint.declaration

    @cached_property
    def stays(self) -> tuple[StaySlot, ...]:
        """The slots whose offers are held by the day."""
        return tuple(
            _stay_of(slot, slot.stay) for slot in self.declaration.slots if slot.stay is not None
        )

    @cached_property
    def declared(self) -> tuple[DomainCheck, ...]:
        """All checks, without constraints; those with one label are one, titled by the first."""
        found: dict[str, DomainCheck] = {}
        for check in self._declared():
            found.setdefault(check.id, check)
        return tuple(found.values())

    def _declared(self) -> Iterator[DomainCheck]:
        slots, window = self.declaration.slots, self.declaration.window
        for slot in slots:
            title = f"{slot.title} booked"
            yield DomainCheck(filled_label(slot), Role.SLOT_FILLED, title, slot=slot.id)
        if any(self._counted(slot) for slot in slots):
            place = "a place for everyone" if self.declaration.people else "as many as wanted"
            yield DomainCheck(UNITS, Role.UNITS, f"{place}, of one offer")
        for slot in slots:
            title = f"{slot.title} as wished"
            yield DomainCheck(wishes_label(slot), Role.WISH, title, slot=slot.id)
        if window is not None:
            slot = next(one for one in slots if one.id == window.on.partition(".")[0])
            title = f"{slot.title} inside the window"
            yield DomainCheck(self.window_label, Role.WINDOW, title, slot=slot.id)
        yield from self._of_edges()
        if self.declaration.budget is not None:
            yield DomainCheck(self.declaration.budget.check, Role.BUDGET, "within the budget")

    def _of_edges(self) -> Iterator[DomainCheck]:
        """Yield the checks of rules and stays, these before the first rule that speaks of them."""
        left = [*self.stays]
        for rule in self.declaration.rules:
            stay = self._stated_on(rule)
            if stay is not None and stay in left:
                left.remove(stay)
                yield from self._of_stay(stay)
            title = rule.title or _WANTED.sub("…", rule.sentence)
            yield DomainCheck(rule_label(rule), Role.EDGE, title)
        for one in left:
            yield from self._of_stay(one)

    def _of_stay(self, stay: StaySlot) -> Iterator[DomainCheck]:
        title = stay.slot.title
        yield DomainCheck(stay.begins, Role.EDGE, f"{title} from the right day")
        if stay.holds not in map(rule_label, self.declaration.rules):
            yield DomainCheck(stay.holds, Role.EDGE, f"{title} for the right days")

    def constraints(self, request: Any, graph: ConstraintGraph) -> Decided:
        """Return what decides the checks of a task, by label."""
        named = {item.name: item for item in graph.constraints}
        window = [item for item in graph.constraints if self._is_window(item)]
        decided: Decided = {
            UNITS: tuple(self._units(request)),
            **{wishes_label(one): self._wishes(one, graph) for one in self.declaration.slots},
        }
        if window:
            decided[self.window_label] = tuple(window)
        for held in self.stays:
            decided |= self._of_days(held, named)
        for rule in self.declaration.rules:
            if rule.name in named:
                label, stay = rule_label(rule), self._stated_on(rule)
                stated = named[rule.name] if stay is None else _moved(named[rule.name], stay.days)
                decided[label] = (*decided.get(label, ()), stated)
        budget = getattr(request, "budget_cents", None)
        if budget is not None and self.declaration.budget is not None:
            weights = {
                (slot, TOTAL): 1
                for slot, kind in self.blueprint.slot_kinds.items()
                if not kind.is_free
            }
            sentence = f"the {self.declaration.job} is within the budget"
            bound = bounded_sum(TOTAL_BUDGET, weights, budget, sentence)
            decided[self.declaration.budget.check] = (bound,)
        return decided

    def _of_days(self, stay: StaySlot, named: Mapping[str, Constraint]) -> Decided:
        """Return what decides that a stay begins as it must, and what its days must be.

        Where no rule speaks of the two days alone, it must end as it is declared to.
        """
        begins, ends = ((own, must) for must, own in stay.days.items())
        stated = [
            _moved(named[rule.name], stay.days)
            for rule in self.of_both_days(stay)
            if rule.name in named
        ]
        if not stated:
            stated = [Constraint(stay.holds, ends, equals, sentence="it ends on the day it must")]
        first = Constraint(stay.begins, begins, equals, sentence="it begins on the day it must")
        return {stay.begins: (first,), stay.holds: tuple(stated)}

    def _units(self, request: Any) -> Iterator[Constraint]:
        """Yield that there are as many units as wanted, of one offer, with places for everyone."""
        people = self.declaration.people
        for slot in self.declaration.slots:
            id_, holds = slot.id, slot.offer.holds
            wanted = self.blueprint.kinds[slot.kind].wanted(request)
            if isinstance(holds, Each | Count):
                required = {"required": wanted}
                yield Constraint(f"{id_}_units", ((id_, BOOKED_UNITS),), equals, required)
            if isinstance(holds, Each | Stay):
                one = {"required": 1}
                yield Constraint(f"{id_}_one_offer", ((id_, IS_ONE_OFFER),), equals, one)
            if people is not None and counts_people(self.declaration, slot.offer):
                size = {"minimum": getattr(request, people.size)}
                yield Constraint(f"{id_}_places", ((id_, BOOKED_PLACES),), at_least, size)

    def _counted(self, slot: Slot) -> bool:
        """Whether something of a slot's units is checked."""
        held = isinstance(slot.offer.holds, Each | Count | Stay)
        return held or counts_people(self.declaration, slot.offer)

    def _wishes(self, slot: Slot, graph: ConstraintGraph) -> tuple[Constraint, ...]:
        """Return what is asked of one slot's offer alone, but for what other checks are about."""
        rules = {rule.name for rule in self.declaration.rules}
        return tuple(
            item
            for item in graph.node_constraints(slot.id)
            if item.name not in rules
            and not self._is_window(item)
            and not any(_counts(slot.offer, name) for _, name in item.parameters)
        )

    @property
    def window_label(self) -> str:
        """The label of the window's check; empty without one."""
        window = self.declaration.window
        return "" if window is None else window.check or f"D-{window.key}"

    def _is_window(self, item: Constraint) -> bool:
        window = self.declaration.window
        is_on = window is not None and item.parameters == (ref_of(window.on),)
        return is_on and item.predicate is within

    def _stated_on(self, rule: Rule) -> StaySlot | None:
        """Return the stay of whose days a rule holds: it reads what is held and a day of these."""
        refs = self.blueprint.graph_maker.conditions[rule.name].refs
        slots = {slot for slot, _ in refs}
        return next(
            (one for one in self.stays if one.slot.id in slots and one.days.keys() & set(refs)),
            None,
        )

    def of_both_days(self, stay: StaySlot) -> Iterator[Rule]:
        """Yield the rules that say something of the days of a stay alone."""
        for rule in self.declaration.rules:
            if set(self.blueprint.graph_maker.conditions[rule.name].refs) == stay.days.keys():
                yield rule


def filled_label(slot: Slot) -> str:
    """Return the label of the check that a slot is filled."""
    return slot.check or f"D-{slot.id}"


def wishes_label(slot: Slot) -> str:
    """Return the label of the check that what fills a slot is as wished."""
    return slot.wishes or f"D-{slot.id}-wishes"


def rule_label(rule: Rule) -> str:
    """Return the label of the check that a rule holds."""
    return rule.check or f"D-{rule.name}"


def ref_of(text: str) -> Ref:
    """Return a ref that is written as `slot.field`."""
    slot, _, name = text.partition(".")
    return slot, name


def _stay_of(slot: Slot, stay: Stay) -> StaySlot:
    begins, holds = stay.checks
    days = {
        ref_of(stay.begins): (slot.id, stay.first),
        ref_of(stay.ends): (slot.id, stay.last),
    }
    return StaySlot(slot, begins or f"D-{slot.id}-begins", holds or f"D-{slot.id}-days", days)


def _moved(item: Constraint, days: Mapping[Ref, Ref]) -> Constraint:
    return replace(item, parameters=tuple(days.get(ref, ref) for ref in item.parameters))


def _counts(offer: Offer, name: str) -> bool:
    """Whether a property says how much of an offer there is."""
    return isinstance(offer.fields.get(name), Stock | Capacity)
