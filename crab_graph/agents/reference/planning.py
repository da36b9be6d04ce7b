"""The cheapest valid job among what the look-ups have shown."""

from bisect import bisect_left
from collections.abc import Mapping
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from crab_graph.agents.reference.handbook import Handbook
from crab_graph.agents.reference.lookups import Found, Row, Shown, columns_of
from crab_graph.agents.reference.wish_vocabulary import Wishes
from crab_graph.dates import iso_date
from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.declaration import TOTAL_BUDGET, Rule
from crab_graph.domain.kind import BookingTerms, Kind, bounded_cost
from crab_graph.domain.request_types import SETTLED
from crab_graph.generation.constraints import Constraint
from crab_graph.generation.counting import EliminationCounter

_UNBOUNDED = 10**12
"""Cents that nothing costs."""


class PlannedPart(NamedTuple):
    """What fills one slot: an offer with its properties in engine values, and how much of it."""

    slot: TaskSlot
    kind: Kind
    row: Row
    units: int
    cents: int
    days: tuple[str, str] | None = None

    @property
    def entity_id(self) -> str:
        """Id of what is booked."""
        return str(self.row[self.kind.entity.key])

    @property
    def offer_id(self) -> str:
        """Id of the offer."""
        return str(self.row[self.kind.offer.key])

    @property
    def name(self) -> str | None:
        """What it is called, where it has a name."""
        return self.row.get("name")

    @property
    def unit_cents(self) -> int:
        """The price of one unit."""
        return int(self.row.get("price", 0))

    def terms(
        self, customer_id: str, people: tuple[tuple[str, str], ...], party: int
    ) -> BookingTerms:
        """Return what is to be booked."""
        own = people if self.kind.people is not None else ()
        ids = (customer_id, self.entity_id, self.offer_id)
        return BookingTerms(*ids, self.units, own, self.days, party)


class Plan(NamedTuple):
    """A complete job, slot by slot."""

    parts: tuple[PlannedPart, ...]

    @property
    def total(self) -> int:
        """What it costs."""
        return sum(part.cents for part in self.parts)

    @property
    def is_free(self) -> bool:
        """Whether there is nothing to pay."""
        return all(part.kind.is_free for part in self.parts)


class Shortlist:
    """All offers of each slot that meet the wishes about single offers, cheapest first."""

    def __init__(self, book: Handbook, wishes: Wishes, shown: Shown) -> None:
        self._book = book
        self._request = book.request(wishes)
        self._edges = shown.edges
        self._days = shown.days
        self.offers: Found = {slot: sorted(rows, key=_rank) for slot, rows in shown.offers.items()}

    def cheapest(self) -> Plan | None:
        """Return the cheapest job that meets every wish; `None` proves that there is none shown."""
        if not self.offers or not all(self.offers.values()):
            return None
        slots = tuple(self.offers)
        read = {slot: {"price"} if not self._kind(slot).is_free else set() for slot in slots}
        cost = self._cost
        edges = [edge for edge in self._edges if edge is not cost and self._is_shown(edge)]
        for edge in edges:
            for slot, name in edge.refs:
                read[slot].add(name)
        counter = EliminationCounter(
            slots,
            [cost, *edges],
            {
                slot: columns_of(rows, sorted(read[slot]) or [""])
                for slot, rows in self.offers.items()
            },
        )
        chosen = counter.cheapest(
            {slot: np.arange(len(rows)) for slot, rows in self.offers.items()}
        )
        if chosen is None:
            return None
        return self.plan({slot: self.offers[slot][place] for slot, place in chosen.items()})

    def only(self, rows: Found) -> "Shortlist":
        """Return the same with these offers alone in some slots."""
        less = copy(self)
        less.offers = {**self.offers, **rows}
        return less

    def cheaper(self, rule: Rule) -> "Shortlist":
        """Return the same with that value of a property alone which the cheapest job has."""
        plan, (slot, _, name) = self.cheapest(), rule.whichever.partition(".")
        if plan is None:
            return self
        value = next(part.row[name] for part in plan.parts if part.slot.id == slot)
        return self.only({slot: [row for row in self.offers[slot] if row[name] == value]})

    def least(self, rule: Rule) -> "Shortlist":
        """Return the same with the least sum of what a wish names with which a job is to be had."""
        refs = [(slot, name) for slot, _, name in (ref.partition(".") for ref in rule.least)]
        plan = self.cheapest()
        if plan is None:
            return self
        sums = {0}
        for slot, name in refs:
            sums = {one + row[name] for one in sums for row in self.offers[slot]}
        bounds = sorted(sums)
        low, high = 0, len(bounds)
        while plan is not None or low < high:
            if plan is not None:
                chosen = {part.slot.id: part.row for part in plan.parts}
                high = bisect_left(bounds, sum(chosen[slot][name] for slot, name in refs))
            if low >= high:
                break
            middle = (low + high) // 2
            plan = self._bounded(rule, bounds[middle]).cheapest()
            low = low if plan is not None else middle + 1
        return self._bounded(rule, bounds[high])

    def _bounded(self, rule: Rule, cents: int) -> "Shortlist":
        """Return the same where the sum that a wish names is so much at most."""
        settled = self._request.model_copy(update={SETTLED: ((rule.name, cents),)})
        stated = self._book.domain.build_graph(settled).constraints
        less = copy(self)
        less._edges = (*self._edges, *(one for one in stated if one.name == rule.name))
        return less

    def plan(self, chosen: Mapping[str, Row]) -> Plan:
        """Return the plan of one offer for each slot."""
        return Plan(tuple(self.part(slot, row) for slot, row in chosen.items()))

    def can_be_booked(self, chosen: Mapping[str, Row]) -> bool:
        """Tell whether the days of some offers are days that were asked for together."""
        values = {
            (slot, name): value for slot, row in chosen.items() for name, value in row.items()
        }
        return all(edge.holds(values) for edge in self._days if chosen.keys() >= set(edge.nodes))

    @property
    def _cost(self) -> Constraint:
        """The bound on what all costs; where there is no budget none that could break."""
        for edge in self._edges:
            if edge.name == TOTAL_BUDGET:
                return edge
        kinds = {slot: self._kind(slot) for slot in self.offers}
        return bounded_cost("cost", kinds, self._request, _UNBOUNDED, "")

    def _is_shown(self, edge: Constraint) -> bool:
        return all(name in self.offers[slot][0] for slot, name in edge.refs)

    def _kind(self, slot: str) -> Kind:
        return self._book.kind_of(self._book.slots[slot])

    def part(self, slot: str, row: Row) -> PlannedPart:
        """Return a plan's part with an offer in a slot."""
        kind = self._kind(slot)
        units = kind.wanted(self._request)
        days = None
        if kind.interval is not None:
            first, last = (iso_date(row[column]) for column in kind.interval)
            days = (first, last)
        cents = int(kind.cost(row.get("price", 0), self._request))
        return PlannedPart(self._book.slots[slot], kind, row, units, cents, days)


def _rank(row: Row) -> tuple[Any, ...]:
    """Return a key that puts cheap offers first, and tells all of them apart."""
    return (row.get("price", 0), *(str(value) for value in row.values()))
