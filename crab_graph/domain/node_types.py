"""What can exist in the world of one task: node types from the fields of offers (paper A.5).

The request bounds the world: its wishes are among the values that a choice is sampled down to, and
days lie around its window. Everything else is drawn, each field from a stream of its own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from crab_graph.dates import day_number
from crab_graph.domain.declaration import Declaration, Offer
from crab_graph.domain.derivations import decide
from crab_graph.domain.fields import (
    LEVEL,
    Capacity,
    Choice,
    Day,
    Field,
    Price,
    Several,
    Stock,
)
from crab_graph.domain.kind import Kind
from crab_graph.domain.requirements import admitted
from crab_graph.generation.constraint_graph import Derived, Lookup, NodeType, Property
from crab_graph.generation.constraints import Constraint, Value
from crab_graph.randomness import derive_rng


class WorldMaker:
    """Makes the node types of tasks; what is the same in all of them is found once."""

    def __init__(
        self,
        declaration: Declaration,
        kinds: Mapping[str, Kind],
        rules: Mapping[str, tuple[Constraint, ...]],
    ) -> None:
        """Prepare for a declaration, given for each kind what holds of every offer."""
        self._declaration = declaration
        self._offers = {offer.booked_as: offer for offer in declaration.offers}
        self._kinds = kinds
        self._rules = rules
        self._wanted = [*_wanted_choices(declaration)]
        self._whichever = [rule for rule in declaration.joint_rules if rule.whichever]

    def node_types(self, request: Any, seed: int) -> dict[str, NodeType]:
        """Return what can exist in the world of one task, by kind."""
        domains = self._domains(request, seed)
        return {
            name: self._node_type(name, offer, domains, seed)
            for name, offer in self._offers.items()
        }

    def _domains(self, request: Any, seed: int) -> dict[Field, tuple[Value, ...]]:
        """Return the values of each free field; fields that are the same share them."""
        days = self._days(request)
        domains: dict[Field, tuple[Value, ...]] = {}
        for offer in self._offers.values():
            for name, field in offer.fields.items():
                if isinstance(field, Choice) and field.sample is not None:
                    if field not in domains:
                        stream = derive_rng(seed, "choice", offer.name, name)
                        asked = self._asked(field, request)
                        others = [value for value in field.values if value not in asked]
                        missing = max(min(field.sample - len(asked), len(others)), 0)
                        kept = asked.union(stream.sample(others, missing))
                        domains[field] = tuple(value for value in field.values if value in kept)
                elif isinstance(field, Choice | Stock | Capacity):
                    domains[field] = tuple(field.values)
                elif isinstance(field, Several):
                    domains[field] = field.sets
                elif isinstance(field, Day):
                    domains[field] = days
        return domains

    def _asked(self, field: Field, request: Any) -> set[Value]:
        """Return the values of a field that roles and wishes name."""
        found = {
            getattr(request, key) if key else value
            for one, value, key in self._wanted
            if one is field
        }
        for rule in self._whichever:
            asked = getattr(request, rule.name)
            if asked and self._declaration.field_at(rule.whichever) is field:
                found.update(admitted(self._declaration, rule, asked))
        return found - {None}

    def _days(self, request: Any) -> tuple[int, ...]:
        if self._declaration.window is None:
            return ()
        first, last = (
            day_number(day) + sum(_offset(part, request) for part in parts)
            for day, parts in zip(
                (request.first_day, request.last_day), self._declaration.horizon, strict=True
            )
        )
        return tuple(range(first, last + 1))

    def _node_type(
        self,
        kind: str,
        offer: Offer,
        domains: Mapping[Field, tuple[Value, ...]],
        seed: int,
    ) -> NodeType:
        values = {name: domains[own] for name, own in offer.fields.items() if own in domains}
        for price in offer.fields.values():
            if isinstance(price, Price):
                values[LEVEL] = tuple(range(price.steps))
        decided: dict[str, Lookup] = {}
        for name, field in offer.fields.items():
            if field not in domains:
                decided[name] = decide(offer, name, values, decided, seed)
        return NodeType(
            name=kind,
            properties=tuple(Property(*one) for one in values.items()),
            derived=tuple(Derived(name, *own) for name, own in decided.items()),
            domain_constraints=self._rules[kind],
            identity=_identity(offer, values, self._kinds[kind].bundle),
            bundle=self._kinds[kind].bundle,
            bundle_size=offer.provider.about if offer.provider else None,
            bundle_limit=offer.provider.most if offer.provider else None,
        )


def _identity(offer: Offer, values: Iterable[str], bundle: Sequence[str]) -> tuple[str, ...]:
    """Return what offers are told apart by: all but how many are left, what bundles them first."""
    told = [
        name
        for name in values
        if name not in offer.incidental and not isinstance(offer.fields.get(name), Stock)
    ]
    return tuple(dict.fromkeys((*(name for name in bundle if name in told), *told)))


def _wanted_choices(declaration: Declaration) -> Iterator[tuple[Field, Value, str]]:
    """Yield the fields for which a value is asked for, with the value or the want that says it."""
    for slot in declaration.slots:
        for name, value in slot.role.items():
            yield slot.offer.fields[name], value, ""
    for want in declaration.wants:
        for ref in want.on:
            yield declaration.field_at(ref), "", want.key


def _offset(part: int | str, request: Any) -> int:
    return part if isinstance(part, int) else int(getattr(request, part))
