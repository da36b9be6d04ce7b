"""Plain search for every solution: a witness that shares nothing with the counting engines.

Depth first over the rows as the tables hold them, with Python values only. Rows of a node that no
plain edge tells apart are tried together. What a branch costs at least to complete depends on no
more than what later edges read of it, and is found out once for all branches that agree in that: a
branch is cut as soon as nothing completes it within the bounded sum.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import islice
from typing import Any

from crab_graph.generation.conjuncts import conjuncts
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, Value, split_sum
from crab_graph.generation.join_order import cheapest_order
from crab_graph.randomness import derive_rng

TRIED = 200
"""Combinations by which it is estimated which share of them an edge lets through."""

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
        plain, self.linear = split_sum(graph.edge_constraints)
        self.edges = [part for edge in plain for part in conjuncts(edge)]
        kept = {node: _valid(graph, node, rows[node]) for node in graph.node_ids}
        self.order = _narrowest_order(graph.node_ids, self.edges, kept)
        self.groups = [self._grouped(node, kept[node]) for node in self.order]
        self.checks: list[list[_Check]] = []
        for depth, node in enumerate(self.order):
            done = self.order[: depth + 1]
            closed = [e for e in self.edges if node in e.nodes and set(done).issuperset(e.nodes)]
            self.checks.append([_Check(edge, done, self.groups[depth]) for edge in closed])
        self.all = [(1 << len(groups)) - 1 for groups in self.groups]
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

    def _admitted(self, chosen: list[_Group]) -> Iterator[int]:
        """Yield the places of the next node's groups that break no edge with what was chosen."""
        left = self.all[len(chosen)]
        for check in self.checks[len(chosen)]:
            left &= check.admitted(chosen)
        while left:
            lowest = left & -left
            yield lowest.bit_length() - 1
            left ^= lowest

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

    def __init__(self, edge: Constraint, order: Sequence[str], groups: Sequence[_Group]) -> None:
        self.edge = edge
        self.earlier = [ref for ref in edge.refs if ref[0] != order[-1]]
        self.own = [ref for ref in edge.refs if ref[0] == order[-1]]
        self.places = [(order.index(node), name) for node, name in self.earlier]
        self.known: dict[tuple[Value, ...], int] = {}
        self.alike: dict[tuple[Value, ...], int] = {}
        for position, group in enumerate(groups):
            shown = tuple([group[0][1][name] for _, name in self.own])
            self.alike[shown] = self.alike.get(shown, 0) | 1 << position

    def admitted(self, chosen: Sequence[_Group]) -> int:
        """Return which of the node's groups hold with what was chosen: a bit for each position."""
        key = tuple([chosen[place][0][1][name] for place, name in self.places])
        known = self.known.get(key)
        if known is None:
            values = dict(zip(self.earlier, key, strict=True))
            known = 0
            for shown, positions in self.alike.items():
                if self.edge.holds({**values, **dict(zip(self.own, shown, strict=True))}):
                    known |= positions
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


def _narrowest_order(
    nodes: Sequence[str], edges: Sequence[Constraint], kept: Mapping[str, Sequence[Row]]
) -> Sequence[str]:
    """Order nodes so that the least is tried: edges that let little through come early."""

    @cache
    def told_apart(node: str, names: frozenset[str]) -> int:
        return len({tuple([row[name] for name in names]) for row in kept[node]})

    def distinct(node: str, numbers: Set[int]) -> int:
        names = (name for number in numbers for name in edges[number].properties_of(node))
        return told_apart(node, frozenset(names))

    return cheapest_order(nodes, edges, distinct, [_share(edge, kept) for edge in edges])


def _share(edge: Constraint, kept: Mapping[str, Sequence[Row]]) -> float:
    """Return which share of the combinations of rows an edge lets through, about."""
    if not all(kept[node] for node in edge.nodes):
        return 1.0
    rng = derive_rng("search order")
    held = 0
    for _ in range(TRIED):
        rows = {node: rng.choice(kept[node]) for node in edge.nodes}
        held += edge.holds({(node, name): rows[node][name] for node, name in edge.refs})
    return max(held, 1) / TRIED
