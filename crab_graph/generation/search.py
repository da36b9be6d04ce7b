"""Plain search for every solution: a witness that shares nothing with the counting engines.

Depth first over the rows as the tables hold them, with Python values only. Rows of a node that no
plain edge tells apart are tried together. What a branch costs at least to complete depends on no
more than what later edges read of it, and is found out once for all branches that agree in that: a
branch is cut as soon as nothing completes it within the bounded sum.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import prod
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
        self.edges, self.linear = split_sum(graph.edge_constraints)
        kept = {node: _valid(graph, node, rows[node]) for node in graph.node_ids}
        self.order = _narrowest_order(graph, kept)
        self.groups = [self._grouped(node, kept[node]) for node in self.order]
        self.checks: list[list[_Check]] = []
        for depth, node in enumerate(self.order):
            done = self.order[: depth + 1]
            closed = [e for e in self.edges if node in e.nodes and set(done).issuperset(e.nodes)]
            self.checks.append([_Check(edge, done) for edge in closed])
        self.read = [self._read_later(depth) for depth in range(len(self.order))]
        self.alike = [self._seen_later(depth) for depth in range(len(self.order))]
        self.known: list[dict[tuple[Value, ...], int | None]] = [{} for _ in self.order]

    def _read_later(self, depth: int) -> list[tuple[int, str]]:
        """Return what edges read of the nodes before a depth that a node from there on completes.

        These are places in the order, with names of properties.
        """
        places = {node: place for place, node in enumerate(self.order)}
        waiting = [edge for edge in self.edges if max(places[one] for one in edge.nodes) >= depth]
        refs = dict.fromkeys(ref for edge in waiting for ref in edge.refs)
        return [(places[node], name) for node, name in refs if places[node] < depth]

    def _seen_later(self, depth: int) -> list[tuple[Value, ...]]:
        """Return what edges to come read of each group of a node."""
        later = self.read[depth + 1] if depth + 1 < len(self.order) else []
        names = [name for place, name in later if place == depth]
        return [tuple([group[0][1][name] for name in names]) for group in self.groups[depth]]

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
        for position in self._admitted(chosen):
            group = self.groups[depth][position]
            cost = spent + group[0][0]
            chosen.append(group)
            rest = self._least(chosen)
            if rest is not None and self._is_within(cost + rest):
                yield from self._choices(chosen, cost)
            chosen.pop()

    def _admitted(self, chosen: list[_Group]) -> Sequence[int]:
        """Return the places of the next node's groups that break no edge with what was chosen."""
        groups, checks = self.groups[len(chosen)], self.checks[len(chosen)]
        admitted = [check.admitted(chosen, groups) for check in checks]
        if not admitted:
            return range(len(groups))
        return sorted(frozenset.intersection(*admitted))

    def _least(self, chosen: list[_Group]) -> int | None:
        """Return what the rest costs at least beside what was chosen; `None` if nothing fits."""
        depth = len(chosen)
        if depth == len(self.order):
            return 0
        key = tuple([chosen[place][0][1][name] for place, name in self.read[depth]])
        if key not in self.known[depth]:
            groups, alike = self.groups[depth], self.alike[depth]
            cheapest: dict[tuple[Value, ...], _Group] = {}
            for position in self._admitted(chosen):
                group = cheapest.setdefault(alike[position], groups[position])
                if groups[position][0][0] < group[0][0]:
                    cheapest[alike[position]] = groups[position]
            costs = []
            for group in cheapest.values():
                chosen.append(group)
                rest = self._least(chosen)
                chosen.pop()
                if rest is not None:
                    costs.append(group[0][0] + rest)
            self.known[depth][key] = min(costs, default=None)
        return self.known[depth][key]

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


def _narrowest_order(graph: ConstraintGraph, kept: Mapping[str, Sequence[Row]]) -> list[str]:
    """Order nodes so that the least there is to try is told apart by edges that are still open.

    A branch is told apart by what open edges read of each of its nodes, of which there are so many
    combinations at most.
    """
    edges, _ = split_sum(graph.edge_constraints)
    seen: dict[tuple[str, tuple[str, ...]], int] = {}

    def told_apart(done: frozenset[str]) -> int:
        names: dict[str, dict[str, None]] = {}
        for edge in edges:
            if not done.issuperset(edge.nodes):
                for node, name in edge.refs:
                    names.setdefault(node, {})[name] = None
        return prod(distinct(node, tuple(own)) for node, own in names.items() if node in done)

    def distinct(node: str, names: tuple[str, ...]) -> int:
        if (node, names) not in seen:
            seen[node, names] = len({tuple([row[name] for name in names]) for row in kept[node]})
        return seen[node, names]

    best: dict[frozenset[str], tuple[int, list[str]]] = {frozenset(): (0, [])}
    for _ in graph.nodes:
        longer: dict[frozenset[str], tuple[int, list[str]]] = {}
        for done, (cost, order) in best.items():
            branches = told_apart(done)
            for node in set(graph.node_ids) - done:
                more = done | {node}
                found = (cost + branches * len(kept[node]), [*order, node])
                longer[more] = min(longer.get(more, found), found)
        best = longer
    return best[frozenset(graph.node_ids)][1]
