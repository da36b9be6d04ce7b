"""Plain search for every solution: a witness that shares nothing with the counting engines.

Depth first over the rows as the tables hold them, with Python values only. Rows of a node that no
plain edge tells apart are tried together, and a bounded sum cuts a branch as soon as its cheapest
completion exceeds it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, Value, split_sum

Row = Mapping[str, Any]
Solution = dict[str, Row]

_Group = list[tuple[int, Row]]
"""Rows of a node that look alike to the plain edges, with their costs, cheapest first."""


def search_solutions(
    graph: ConstraintGraph, rows: Mapping[str, Sequence[Row]], limit: int
) -> list[Solution]:
    """Return the solutions among the rows, at most `limit` of them.

    Of each node, `rows` has every one its table offers, valid or not. A caller who expects k
    solutions passes a limit above k.
    """
    return list(islice(_Search(graph, rows).solutions(), limit))


class _Search:
    """The state that does not change while branches are tried."""

    def __init__(self, graph: ConstraintGraph, rows: Mapping[str, Sequence[Row]]) -> None:
        self.order = _by_edges(graph)
        self.edges, self.linear = split_sum(graph.edge_constraints)
        self.groups = [self._grouped(node, _valid(graph, node, rows[node])) for node in self.order]
        least = [min((group[0][0] for group in groups), default=0) for groups in self.groups]
        self.cheapest_rest = [sum(least[depth + 1 :]) for depth in range(len(self.order))]
        self.checks: list[list[_Check]] = []
        for depth, node in enumerate(self.order):
            done = self.order[: depth + 1]
            closed = [e for e in self.edges if node in e.nodes and set(done).issuperset(e.nodes)]
            self.checks.append([_Check(edge, done) for edge in closed])

    def solutions(self) -> Iterator[Solution]:
        """Yield every solution."""
        for groups in self._choices([], 0):
            for rows in self._rows(groups, 0):
                yield dict(zip(self.order, rows, strict=True))

    def _choices(self, chosen: list[_Group], spent: int) -> Iterator[list[_Group]]:
        """Yield one group a node such that no plain edge breaks and the cheapest rows fit."""
        depth = len(chosen)
        if depth == len(self.order):
            yield list(chosen)
            return
        groups = self.groups[depth]
        admitted = [check.admitted(chosen, groups) for check in self.checks[depth]]
        if admitted:
            groups = [groups[position] for position in sorted(frozenset.intersection(*admitted))]
        for group in groups:
            cost = spent + group[0][0]
            if self._is_within(cost + self.cheapest_rest[depth]):
                chosen.append(group)
                yield from self._choices(chosen, cost)
                chosen.pop()

    def _rows(self, groups: Sequence[_Group], spent: int) -> Iterator[tuple[Row, ...]]:
        """Yield one row a group such that the sum is in bounds."""
        if not groups:
            yield ()
            return
        rest = sum(group[0][0] for group in groups[1:])
        for cost, row in groups[0]:
            if not self._is_within(spent + cost + rest):
                break  # rows come cheapest first
            for rows in self._rows(groups[1:], spent + cost):
                yield (row, *rows)

    def _is_within(self, total: int) -> bool:
        return self.linear is None or total <= self.linear.bound

    def _grouped(self, node: str, rows: Sequence[Row]) -> list[_Group]:
        names = dict.fromkeys(name for edge in self.edges for name in edge.properties_of(node))
        weights = self.linear.weights.items() if self.linear is not None else ()
        weighed = [(name, weight) for (owner, name), weight in weights if owner == node]
        groups: dict[tuple[Value, ...], _Group] = {}
        for row in rows:
            key = tuple([row[name] for name in names])
            cost = sum(weight * int(row[name]) for name, weight in weighed)
            groups.setdefault(key, []).append((cost, row))
        return [sorted(group, key=lambda item: item[0]) for group in groups.values()]


class _Check:
    """An edge that the last of some nodes completes, tried once for each choice before it."""

    def __init__(self, edge: Constraint, order: Sequence[str]) -> None:
        self.edge = edge
        self.earlier = [ref for ref in edge.refs if ref[0] != order[-1]]
        self.own = [ref for ref in edge.refs if ref[0] == order[-1]]
        self.places = [(order.index(node), name) for node, name in self.earlier]
        self.known: dict[tuple[Value, ...], frozenset[int]] = {}

    def admitted(self, chosen: Sequence[_Group], groups: Sequence[_Group]) -> frozenset[int]:
        """Return the positions of the node's groups that hold with what was chosen."""
        key = tuple([chosen[place][0][1][name] for place, name in self.places])
        known = self.known.get(key)
        if known is None:
            values = dict(zip(self.earlier, key, strict=True))
            known = frozenset(
                position
                for position, group in enumerate(groups)
                if self.edge.holds({**values, **{ref: group[0][1][ref[1]] for ref in self.own}})
            )
            self.known[key] = known
        return known


def _valid(graph: ConstraintGraph, node: str, rows: Sequence[Row]) -> list[Row]:
    """Return the rows that satisfy the node's constraints, each tried once for each value."""
    for wish in graph.node_constraints(node):
        names = wish.properties_of(node)
        keys = list(zip(*([row[name] for row in rows] for name in names), strict=True))
        refs = [(node, name) for name in names]
        admitted = {key for key in set(keys) if wish.holds(dict(zip(refs, key, strict=True)))}
        rows = [row for row, key in zip(rows, keys, strict=True) if key in admitted]
    return list(rows)


def _by_edges(graph: ConstraintGraph) -> list[str]:
    """Order nodes so that edges can be checked early."""
    order: list[str] = []

    def closed(node: str) -> int:
        done = {*order, node}
        return sum(done.issuperset(edge.nodes) for edge in graph.edge_constraints)

    while len(order) < len(graph.nodes):
        order.append(max((node for node in graph.node_ids if node not in order), key=closed))
    return order
