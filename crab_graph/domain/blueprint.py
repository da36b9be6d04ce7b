"""What the parts of a domain are derived from: its declaration, and what it comes to at once.

Every part of a `Domain` that a declaration does not give itself is a function of a `Blueprint`; see
`crab_graph.domain.compiler`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.declaration import Declaration, Offer
from crab_graph.domain.kind import Kind
from crab_graph.domain.layout import kinds_of, tables_of
from crab_graph.domain.node_types import WorldMaker
from crab_graph.domain.requirements import GraphMaker, domain_rules
from crab_graph.generation.constraint_graph import ConstraintGraph, NodeType
from crab_graph.schema import FileModel
from crab_graph.tools.tables import Table


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A declaration with its tables, its kinds of bookings, its node types and its graphs.

    Of these `tables`, `kinds` and `build_graph` can be `given`, by these names, instead.
    """

    declaration: Declaration
    request_type: type[FileModel]
    profile_type: type[FileModel]
    given: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def slots(self) -> tuple[TaskSlot, ...]:
        """What a job needs."""
        return tuple(TaskSlot(one.id, one.kind, one.title) for one in self.declaration.slots)

    @cached_property
    def offers(self) -> Mapping[str, Offer]:
        """What is sold, by the name of its kind of booking."""
        return {offer.booked_as: offer for offer in self.declaration.offers}

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Every table, the platform's and the private ones first."""
        given: tuple[Table, ...] | None = self.given.get("tables")
        return given or tables_of(self.declaration)

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """The kinds of bookings by name, without the tools that agents book them by."""
        given: Mapping[str, Kind] | None = self.given.get("kinds")
        return given or kinds_of(self.declaration)

    @cached_property
    def slot_kinds(self) -> Mapping[str, Kind]:
        """The kind of booking that fills each slot."""
        return {slot.id: self.kinds[slot.kind] for slot in self.slots}

    @cached_property
    def graph_maker(self) -> GraphMaker:
        """What makes its constraint graphs; its `conditions` are what the rules state, by name."""
        return GraphMaker(self.declaration, self.slot_kinds)

    @cached_property
    def _worlds(self) -> WorldMaker:
        rules = {name: domain_rules(offer) for name, offer in self.offers.items()}
        return WorldMaker(self.declaration, self.kinds, rules)

    def node_types(self, request: Any, seed: int) -> dict[str, NodeType]:
        """Return what can exist in the world of one task, by kind."""
        return self._worlds.node_types(request, seed)

    def build_graph(self, request: Any) -> ConstraintGraph:
        """Return the constraint graph of a request."""
        make: Callable[[Any], ConstraintGraph] = self.given.get(
            "build_graph", self.graph_maker.graph
        )
        return make(request)
