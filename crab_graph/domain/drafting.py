"""Drawing a job that somebody might want: a window, wishes, optional rules, a budget, and who asks.

Each draw has a stream of its own, so that a want more changes no other. The budget is drawn before
the seeds and says nothing about them (paper sections 3.2.1 and A.3).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from crab_graph.dates import day_number, iso_date
from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.contract import Draft
from crab_graph.domain.declaration import TOTAL_BUDGET, Declaration, Want
from crab_graph.domain.invented import birth_date, drawn_card, email_of, person_names
from crab_graph.domain.joint_wishes import asked_with, draw_joint
from crab_graph.domain.least_sums import settle_least
from crab_graph.domain.request_types import (
    SETTLED,
    KnownCard,
    Profile,
    ProfilePerson,
    is_certain,
    task_axes,
    width_names,
)
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraints import Value
from crab_graph.generation.folding import FoldedGraph, fold
from crab_graph.generation.seeds import ConcreteObject
from crab_graph.randomness import derive_array_rng, derive_rng

Odds = float | Mapping[str, float]

_FIRST_DAY, _DAYS = day_number("2027-01-20"), 300
"""The days from which first days are drawn."""

_COMBINATIONS = 4000
"""Random combinations of offers from whose costs a budget is drawn."""


@dataclass(frozen=True)
class Drafting:
    """How the tasks of a domain are drawn."""

    blueprint: Blueprint

    @property
    def declaration(self) -> Declaration:
        """What is drawn from."""
        return self.blueprint.declaration

    def draft(self, seed: int, axes: Mapping[str, Value], joint: int = 0) -> Draft:
        """Draw a request with the given values on the axes and so many joint wishes, and its maker.

        Raises:
            UnsatisfiableTask: the request contradicts itself; draw with another seed.
        """
        asked = self.optional_edges_of(seed, axes)
        request = self._request(seed, axes, asked, joint)
        types = self.blueprint.node_types(request, seed)
        folded = fold(self.blueprint.build_graph(request), types)
        if TOTAL_BUDGET in asked:
            request = self._with_budget(request, folded, seed)
            folded = fold(self.blueprint.build_graph(request), types)
        pinned: Mapping[str, ConcreteObject] = {}
        for rule in self.declaration.joint_rules:
            if rule.least and getattr(request, rule.name):
                cents, pinned = settle_least(rule, folded, seed)
                request = request.model_copy(update={SETTLED: ((rule.name, cents),)})
                folded = fold(self.blueprint.build_graph(request), types)
        window, first = self.declaration.window, derive_rng(seed, "first day").randrange(_DAYS)
        ahead = 0 if window is None else derive_rng(seed, "today").randint(*window.ahead)
        today = iso_date(_FIRST_DAY + first - ahead)
        return Draft(request, self._profile(request, seed), today, folded, pinned)

    def with_edges(self, draft: Draft, names: Sequence[str], seed: int) -> Draft:
        """Return a draft with exactly these optional edges; a budget it has not is drawn.

        Raises:
            UnsatisfiableTask: the request contradicts itself then.
        """
        types = draft.folded.types
        told: dict[str, Any] = {name: name in names for name in self._optional_rules}
        if TOTAL_BUDGET not in names and self.declaration.budget is not None:
            told["budget_cents"] = None
        request = draft.request.model_copy(update=told)
        folded = fold(self.blueprint.build_graph(request), types)
        if TOTAL_BUDGET in names and request.budget_cents is None:
            request = self._with_budget(request, folded, seed)
            folded = fold(self.blueprint.build_graph(request), types)
        return draft._replace(request=request, folded=folded)

    @property
    def optional_edges(self) -> tuple[str, ...]:
        """Names of the edges that a request may do without."""
        budget = () if self.declaration.budget is None else (TOTAL_BUDGET,)
        return (*budget, *self._optional_rules)

    def optional_edges_of(self, seed: int, axes: Mapping[str, Value]) -> frozenset[str]:
        """Draw which optional edges a request asks for."""
        together = self.declaration.optional_odds.get(str(self._first(axes)))
        if together is not None:
            rng = derive_rng(seed, "optional edges")
            return frozenset(rng.choices(list(together), list(together.values()))[0])
        odds: dict[str, Odds] = {
            rule.name: rule.odds for rule in self.declaration.rules if rule.odds is not None
        }
        if self.declaration.budget is not None:
            odds[TOTAL_BUDGET] = self.declaration.budget.odds
        return frozenset(
            name
            for name, own in odds.items()
            if derive_rng(seed, "optional edge", name).random() < self._chance(own, axes)
        )

    @property
    def _optional_rules(self) -> tuple[str, ...]:
        return tuple(rule.name for rule in self.declaration.rules if rule.odds is not None)

    @cached_property
    def _axis_names(self) -> tuple[str, ...]:
        return tuple(axis.name for axis in task_axes(self.declaration))

    def _first(self, axes: Mapping[str, Value]) -> Value | None:
        """Return the value on the axis by which odds may differ."""
        return axes[self._axis_names[0]] if self._axis_names else None

    def _chance(self, odds: Odds, axes: Mapping[str, Value]) -> float:
        return odds[str(self._first(axes))] if isinstance(odds, Mapping) else odds

    def _request(
        self, seed: int, axes: Mapping[str, Value], asked: frozenset[str], joint: int
    ) -> Any:
        """Draw a request without its budget; wants may look at what stands before them."""
        told = SimpleNamespace(**axes)
        window = self.declaration.window
        fields: dict[str, Any] = {}
        if window is not None:
            rng = derive_rng(seed, "window")
            width = rng.choice(window.widths)
            if window.axis is not None:
                width = width_names(window, window.axis)[axes[window.axis.name]]
            first = _FIRST_DAY + derive_rng(seed, "first day").randrange(_DAYS)
            fields = {"first_day": iso_date(first), "last_day": iso_date(first + width - 1)}
        for want in self.declaration.wants:
            if want.axis is not None:
                fields[want.key] = axes[want.axis.name]
        vars(told).update(fields)
        for want in self.declaration.wants:
            if want.axis is None:
                fields[want.key] = self._wish(want, told, axes, seed)
                setattr(told, want.key, fields[want.key])
        fields |= {name: name in asked for name in self._optional_rules}
        if joint:
            stated = self.blueprint.graph_maker.conditions
            chosen = draw_joint(self.declaration, stated, asked, joint, seed)
            fields |= dict(asked_with(self.declaration, chosen, fields, seed))
        return self.blueprint.request_type(**fields)

    def _wish(
        self, want: Want, told: SimpleNamespace, axes: Mapping[str, Value], seed: int
    ) -> Value | None:
        rng = derive_rng(seed, "want", want.key)
        if rng.random() >= self._chance(want.odds, axes):
            return None
        values = want.values(told) if callable(want.values) else want.values
        if values:
            return rng.choice(values)
        if is_certain(want.odds):
            raise UnsatisfiableTask(f"want '{want.key}' has no value to choose from")
        return None

    def _with_budget(self, request: Any, folded: FoldedGraph, seed: int) -> Any:
        """Return the request with a budget: a cost that a drawn share of combinations stays under.

        The combinations are of offers that are valid for their slots, and random.
        """
        budget = self.declaration.budget
        if budget is None:
            raise UnsatisfiableTask(f"domain '{self.declaration.name}' declares no budget")
        share = derive_rng(seed, "budget share").uniform(*budget.share)
        rng = derive_array_rng(seed, "budget prices")
        total = np.zeros(_COMBINATIONS, dtype=np.int64)
        for node, domain in folded.domains.items():
            columns = domain.draw(rng, _COMBINATIONS)
            if "price" not in domain.type.lookups:
                continue
            prices = columns["price"]
            if not len(prices):
                raise UnsatisfiableTask(f"no offer is valid for slot '{node}'")
            drawn = prices[rng.randint(0, len(prices), _COMBINATIONS)]
            total += self.blueprint.kinds[domain.type.name].cost(drawn, request)
        cents, step = int(np.sort(total)[int(share * _COMBINATIONS)]), budget.step * 100
        return request.model_copy(update={"budget_cents": -(-cents // step) * step})

    def _profile(self, request: Any, seed: int) -> Profile:
        """Draw whom the job is for and which card pays; the first of them is the customer."""
        rng = derive_rng(seed, "profile")
        party = self.declaration.people
        size = 1 if party is None else getattr(request, party.size)
        names = person_names(rng, size)
        people = tuple(ProfilePerson(name=name, date_of_birth=birth_date(rng)) for name in names)
        customer = f"CU-{rng.randrange(10000, 99999)}"
        card = KnownCard(**drawn_card(rng, f"CD-{rng.randrange(1000, 10000)}"))
        return Profile(
            customer_id=customer,
            email=email_of(names[0]),
            people=people,
            payment_card=None if self.declaration.is_free else card,
        )
