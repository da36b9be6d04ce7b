"""Which of some values is the cheaper one: what the cheapest solutions with each of them cost.

A wish for the cheaper of two districts is settled by the tables. That it is settled rightly is
counted like all else: with a bound that solutions of the graph reach, those of its rivals are none.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint
from crab_graph.generation.counting import NEVER, EliminationCounter
from crab_graph.generation.objects import Columns, IntArray, valid_rows
from crab_graph.schema import FileModel


class ThreeCounts(FileModel):
    """How many solutions there are, counted three ways."""

    sql: int
    arrays: int
    search: int

    @property
    def agree(self) -> bool:
        """Whether all three ways of counting found as many."""
        return self.sql == self.arrays == self.search


class CheaperCount(FileModel):
    """That nothing with another value costs as little as the cheapest solution.

    Or, of a wish for the least sum, that with nothing less there is a solution.

    Attributes:
        wish: The wish for the cheaper of some values, or for the least sum.
        cents: What the cheapest solution costs; or the least sum.
        own: The solutions that cost no more.
        others: What costs no more and solves with another value; or with a lesser sum.
    """

    wish: str
    cents: int
    own: ThreeCounts
    others: ThreeCounts

    @property
    def ok(self) -> bool:
        """Whether some solution costs so little, and nothing else does."""
        is_counted = self.own.agree and self.others.agree
        return is_counted and self.own.sql > 0 and self.others.sql == 0


def compare(
    graph: ConstraintGraph, cents: int | None, count: Callable[[ConstraintGraph], ThreeCounts]
) -> tuple[CheaperCount, ...]:
    """Return the comparisons of a graph, given what its cheapest solution costs; none without."""
    found = []
    if cents is not None and graph.rivals:
        own = count(graph.within(cents))
        found += [
            CheaperCount(
                wish=one.name, cents=cents, own=own, others=count(graph.within(cents, one))
            )
            for one in graph.rivals
        ]
    if graph.lesser:
        own = count(graph)
        found += [
            CheaperCount(
                wish=one.name,
                cents=int(one.constants[one.name]) + 1,
                own=own,
                others=count(graph.instead(one)),
            )
            for one in graph.lesser
        ]
    return tuple(found)


class Contest:
    """The offers of each node, of which it is asked what the cheapest solutions cost."""

    def __init__(self, graph: ConstraintGraph, objects: Mapping[str, Columns]) -> None:
        """Take a graph with rivals, and all offers by node."""
        self._graph, self._objects = graph, objects

    @classmethod
    def of_types(cls, graph: ConstraintGraph, offers: Mapping[str, Columns]) -> "Contest":
        """Return that among offers by type of node."""
        return cls(graph, {node.id: offers[node.type] for node in graph.nodes})

    @property
    def least(self) -> int | None:
        """What the cheapest solution costs; `None` where there is none."""
        return self._least(self._graph)

    @property
    def lead(self) -> int | None:
        """How much more the cheapest rival costs; `None` where none solves within the bound."""
        own = self.least
        found = [self._least(self._graph.within(self._bound, one)) for one in self._graph.rivals]
        costs = [one for one in found if one is not None]
        return min(costs) - own if costs and own is not None else None

    def completing(self, rival: Constraint, cents: int) -> IntArray:
        """Return the offers of a rival's node with which something solves for so much at most."""
        graph, node = self._graph.within(cents, rival), rival.nodes[0]
        counter, rows = self._counter(graph)
        return rows[node][counter.has_solution(node, rows[node], rows)]

    def least_sum(self, lesser: Constraint) -> int | None:
        """Return the least sum, of a wish for one, with which something solves.

        None above what the graph asks for is looked at; `None` where there is none.
        """
        name = lesser.name
        stated = next(item for item in self._graph.constraints if item.name == name)
        _, rows = self._counter(self._graph)
        sums = np.zeros(1, dtype=np.int64)
        for node, field in stated.refs:
            own = np.asarray(self._objects[node][field], dtype=np.int64)[rows[node]]
            sums = np.unique(np.add.outer(sums, own))
        bounds = sums[sums <= int(stated.constants[name])].tolist()
        place = bisect_left(bounds, True, key=lambda bound: self.has_sum(stated, bound))
        return bounds[place] if place < len(bounds) else None

    def has_sum(self, stated: Constraint, cents: int) -> bool:
        """Tell whether something solves with so low a sum, of a stated wish for the least one."""
        constants = {**stated.constants, stated.name: cents}
        counter, rows = self._counter(self._graph.instead(replace(stated, constants=constants)))
        first = self._graph.node_ids[0]
        return bool(counter.has_solution(first, rows[first], rows).any())

    def _least(self, graph: ConstraintGraph) -> int | None:
        counter, rows = self._counter(graph)
        node = graph.node_ids[0]
        totals = counter.least(node, rows[node], rows)
        bound = NEVER - 1 if counter.sum is None else counter.sum.bound
        return int(totals.min()) if len(totals) and totals.min() <= bound else None

    @property
    def _bound(self) -> int:
        linear = (item.linear for item in self._graph.constraints if item.linear is not None)
        return next(linear).bound

    def _counter(self, graph: ConstraintGraph) -> tuple[EliminationCounter, dict[str, IntArray]]:
        rows = {
            node: np.asarray(valid_rows(own, graph.node_constraints(node)))
            for node, own in self._objects.items()
        }
        edges = graph.edge_constraints
        return EliminationCounter(graph.node_ids, edges, self._objects, rows), rows
