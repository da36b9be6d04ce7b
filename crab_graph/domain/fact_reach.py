"""Which checks a wrong value of each fact can fail, and which compare bookings with it (§10).

A fact bites on fields: those that a wish names, the window's day, or what a rule lets depend on it.
Whatever else reads these fields can fail with it. What the tables settle turns on all that is asked
for, so that any wish told wrongly can fail it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from crab_graph.domain.declaration import Declaration, Rule, Stay, Want
from crab_graph.domain.declared_checks import (
    UNITS,
    DeclaredChecks,
    filled_label,
    ref_of,
    rule_label,
    wishes_label,
)
from crab_graph.domain.verification import Role
from crab_graph.generation.constraints import Ref

Checks = frozenset[str]


class Reach(NamedTuple):
    """What a fact decides, by the labels of checks, or by their roles.

    Attributes:
        decides: Checks that compare a booking with the fact itself.
        covers: Those that a wrong value can fail.
    """

    decides: Checks
    covers: Checks


def covered_checks(checks: DeclaredChecks) -> dict[str, Checks]:
    """Return the checks that a wrong value of each fact can fail."""
    return {fact: reach.covers for fact, reach in reaches(checks).items() if reach.covers}


def deciding_checks(checks: DeclaredChecks) -> dict[str, Checks]:
    """Return the checks whose failure means that a booking contradicts each fact."""
    return {fact: reach.decides for fact, reach in reaches(checks).items() if reach.decides}


def reaches(checks: DeclaredChecks) -> dict[str, Reach]:
    """Return what each fact decides, those that decide nothing included."""
    return dict(_Reaches(checks).all())


@dataclass(frozen=True)
class _Reaches:
    checks: DeclaredChecks

    @property
    def declaration(self) -> Declaration:
        return self.checks.declaration

    def all(self) -> Iterator[tuple[str, Reach]]:
        window, people, budget = (
            self.declaration.window,
            self.declaration.people,
            self.declaration.budget,
        )
        if window is not None:
            own = frozenset({self.checks.window_label})
            yield window.key, Reach(own, own | self._reading({ref_of(window.on)}) | self._settled)
        for want in self.declaration.wants:
            decides, covers = self._of_want(want)
            yield want.key, Reach(decides, covers | self._settled)
        if people is not None:
            stored = frozenset({Role.PERSON.value})
            yield people.names, Reach(stored, stored)
            yield people.birth_dates, Reach(stored, stored)
        if budget is not None:
            own = frozenset({budget.check})
            yield "budget", Reach(own, own | self._of_joint("budget_cents") | self._settled)
        for rule in self.declaration.rules:
            if rule.is_optional:
                own = frozenset({rule_label(rule)})
                yield rule.name, Reach(own, own | self._settled)

    @property
    def _settled(self) -> Checks:
        """The checks of the wishes that the tables settle."""
        rules = self.declaration.joint_rules
        return frozenset(rule_label(one) for one in rules if one.is_settled)

    def _of_want(self, want: Want) -> Reach:
        counted = self._of_units(want)
        through = self._through_rules(want)
        decides, covers = counted.decides | through.decides, counted.covers | through.covers
        refs = {ref_of(text) for text in want.on}
        slots = [slot for slot in self.declaration.slots if slot.id in {one for one, _ in refs}]
        if want.role and slots:
            # What is booked in another role fits no slot, and to the agent nothing is missing.
            filled = {filled_label(slot) for slot in slots}
            surplus = {Role.SURPLUS.value, Role.ENDED_PARTIAL.value}
            return Reach(decides, covers | filled | surplus | self._reading(refs))
        wishes = frozenset(map(wishes_label, slots))
        return Reach(decides | wishes, covers | wishes | self._reading(refs))

    def _of_units(self, want: Want) -> Reach:
        """Return what a want decides that says how many units there are, or people."""
        people, kinds = self.declaration.people, self.checks.blueprint.kinds
        is_size = people is not None and people.size == want.key
        offers = [offer for offer in self.declaration.offers if offer.units == want.key]
        by_day = all(isinstance(offer.holds, Stay) for offer in offers)
        decides = set() if by_day and not is_size else {UNITS}
        covers = {Role.PERSON.value} if is_size else set()
        if self.declaration.budget is not None:
            is_sold = any(not kinds[offer.booked_as].is_free for offer in offers)
            covers |= {self.declaration.budget.check} if is_sold else set()
        known = {check.id for check in self.checks.declared}
        decides &= known
        return Reach(frozenset(decides), frozenset(decides | covers))

    def _through_rules(self, want: Want) -> Reach:
        """Return what a want decides that rules read: what these let depend on it moves."""
        conditions = self.checks.blueprint.graph_maker.conditions
        plain = (one for one in self.declaration.rules if not one.joint)
        rules = [one for one in plain if want.key in conditions[one.name].given]
        window = self.declaration.window
        settled = set() if window is None else {ref_of(window.on)}
        moved = {ref for rule in rules for ref in conditions[rule.name].refs} - settled
        decides = frozenset(label for rule in rules for label in self._labels(rule))
        return Reach(decides, decides | self._reading(moved) | self._of_joint(want.key))

    def _of_joint(self, given: str) -> Checks:
        """Return the checks of the joint wishes that read a value of the request."""
        conditions = self.checks.blueprint.graph_maker.conditions
        rules = self.declaration.joint_rules
        return frozenset(rule_label(one) for one in rules if given in conditions[one.name].given)

    def _labels(self, rule: Rule) -> Iterator[str]:
        """Yield the checks that a rule is part of."""
        yield rule_label(rule)
        for stay in self.checks.stays:
            if rule in self.checks.of_both_days(stay):
                yield stay.holds

    def _reading(self, refs: Iterable[Ref]) -> Checks:
        """Return the checks of the rules that read some fields, and of the stays of these days."""
        read = set(refs)
        conditions = self.checks.blueprint.graph_maker.conditions
        found = {
            rule_label(rule)
            for rule in self.declaration.rules
            if read & set(conditions[rule.name].refs)
        }
        for stay in self.checks.stays:
            begins, ends = stay.days
            found |= {stay.begins, stay.holds} if begins in read else set()
            found |= {stay.holds} if ends in read else set()
        return frozenset(found)


def charging_facts(declaration: Declaration) -> Checks:
    """Return the facts that are needed to charge, not to book."""
    return frozenset() if declaration.is_free else frozenset({"payment_card"})


def wished_refs(declaration: Declaration) -> Mapping[str, frozenset[Ref]]:
    """Return the fields on which each wish bites."""
    return {want.key: frozenset(map(ref_of, want.on)) for want in declaration.wants}


def profile_facts(declaration: Declaration) -> Mapping[str, str]:
    """Return the fact that each column of a customer must equal; lists begin with the customer."""
    people = declaration.people
    if people is None:
        return {"email": "email"}
    return {"name": people.names, "email": "email", "date_of_birth": people.birth_dates}
