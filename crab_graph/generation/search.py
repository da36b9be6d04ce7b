"""Plain search for every solution: a witness that shares nothing with the counting engines.

Depth first over the rows as the tables hold them, with Python values only. What is compatible with
what was chosen so far is looked up by the values that matter, and a bounded sum cuts a branch as
soon as the cheapest completion exceeds it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, Ref, Value

Row = Mapping[str, Any]
Solution = dict[str, Row]


def search_solutions(
    graph: ConstraintGraph, rows: Mapping[str, Sequence[Row]], limit: int
) -> list[Solution]:
    """Return the solutions among the rows, at most `limit` of them.

    Args:
        graph: The task graph, as declared.
        rows: For each node, every row its table offers, valid or not.
        limit: Where to stop; a caller who expects k solutions passes more than k.
    """
    search = _Search(graph, rows)
    solutions: list[Solution] = []
    for solution in search.extend({}, 0):
        solutions.append(solution)
        if len(solutions) == limit:
            break
    return solutions


class _Search:
    """The state that does not change while branches are tried."""

    def __init__(self, graph: ConstraintGraph, rows: Mapping[str, Sequence[Row]]) -> None:
        self.order = _by_edges(graph)
        sums = [edge for edge in graph.edge_constraints if edge.linear is not None]
        self.sum = sums[0] if sums else None
        self.edges = [edge for edge in graph.edge_constraints if edge is not self.sum]
        self.rows = {
            node: sorted(_valid(graph, node, rows[node]), key=lambda row: self.cost(node, row))
            for node in self.order
        }
        self.cheapest_rest = [
            sum(
                self.cost(node, self.rows[node][0])
                for node in self.order[depth + 1 :]
                if self.rows[node]
            )
            for depth in range(len(self.order))
        ]
        self.checks = [self._checks(depth) for depth in range(len(self.order))]
        self.known: list[dict[tuple[Value, ...], list[Row]]] = [{} for _ in self.order]

    def cost(self, node: str, row: Row) -> int:
        if self.sum is None or self.sum.linear is None:
            return 0
        weights = self.sum.linear.weights.items()
        return sum(weight * int(row[name]) for (owner, name), weight in weights if owner == node)

    def extend(self, chosen: Solution, spent: int) -> Iterator[Solution]:
        depth = len(chosen)
        if depth == len(self.order):
            yield dict(chosen)
            return
        node = self.order[depth]
        for row in self.compatible(depth, chosen):
            cost = spent + self.cost(node, row)
            if self.sum is not None and self.sum.linear is not None:
                bound = self.sum.linear.bound
                if cost + self.cheapest_rest[depth] > bound:
                    break  # rows come cheapest first
            yield from self.extend({**chosen, node: row}, cost)

    def compatible(self, depth: int, chosen: Solution) -> list[Row]:
        """Return the rows of the next node that break no edge with what was chosen."""
        edges, earlier = self.checks[depth]
        key = tuple([chosen[owner][name] for owner, name in earlier])
        known = self.known[depth].get(key)
        if known is None:
            node = self.order[depth]
            values: dict[Ref, Value] = dict(zip(earlier, key, strict=True))
            known = [row for row in self.rows[node] if _fits(row, node, edges, values)]
            self.known[depth][key] = known
        return known

    def _checks(self, depth: int) -> tuple[list[Constraint], list[Ref]]:
        """Return the edges that the node at `depth` completes, and what they read before it."""
        node, done = self.order[depth], {*self.order[: depth + 1]}
        edges = [edge for edge in self.edges if node in edge.nodes and done.issuperset(edge.nodes)]
        refs = dict.fromkeys(ref for edge in edges for ref in edge.refs if ref[0] != node)
        return edges, list(refs)


def _fits(row: Row, node: str, edges: Sequence[Constraint], values: Mapping[Ref, Value]) -> bool:
    return all(
        edge.evaluate(lambda ref: row[ref[1]] if ref[0] == node else values[ref]) for edge in edges
    )


def _valid(graph: ConstraintGraph, node: str, rows: Sequence[Row]) -> list[Row]:
    wishes = graph.node_constraints(node)
    return [row for row in rows if _fits(row, node, wishes, {})]


def _by_edges(graph: ConstraintGraph) -> list[str]:
    """Order nodes so that edges can be checked early."""
    order: list[str] = []
    while len(order) < len(graph.nodes):
        rest = [node for node in graph.node_ids if node not in order]
        order.append(max(rest, key=lambda node: _closed(graph, {*order, node})))
    return order


def _closed(graph: ConstraintGraph, nodes: set[str]) -> int:
    return sum(nodes.issuperset(edge.nodes) for edge in graph.edge_constraints)
