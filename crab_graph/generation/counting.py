"""Exact counting by array elimination: join node by node, sum away what no edge needs.

Objects enter as *edge codes*: for each edge, the number of the object's distinct profile with
respect to it (paper A.4, `profile(o, c)`). Each edge is tried out once on all combinations of
profiles; a join is then a look-up. One bounded sum is carried along as a partial total; further
ones count as plain edges.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crab_graph.generation.constraints import Constraint, split_sum
from crab_graph.generation.join_order import JoinOrders
from crab_graph.generation.objects import (
    Columns,
    IntArray,
    Mask,
    group,
    length,
    numbered_together,
    try_out,
)

Rows = Mapping[str, IntArray]
"""Positions of the objects of each node that take part."""

NEVER = np.int64(2**60)
"""Cost of what cannot be completed; far above any total, far below overflow."""

_SEVERAL = 8
"""How often, about, a node multiplies the partial solutions while edges to come read it."""

CHUNK = 500_000
"""Largest number of pairs a join looks at in one go."""


class _Partial(NamedTuple):
    """Partial solutions, grouped by the codes (by node and number of the edge) still needed.

    Of each group the least partial total of the bounded sum, how many partial solutions it holds,
    and by `key` which objects of the node that is tested they run through; 0 for none.
    """

    codes: dict[tuple[str, int], IntArray]
    total: IntArray
    weight: IntArray
    key: IntArray


class EliminationCounter:
    """Counts and tests the solutions among the objects of nodes, of which edges are asked."""

    def __init__(
        self,
        nodes: Sequence[str],
        edges: Sequence[Constraint],
        objects: Mapping[str, Columns],
        valid: Rows | None = None,
    ) -> None:
        """Take the objects of each node; only node-valid ones may take part in a call.

        Edges are tried out on the `valid` alone where these are said, a few in a hundred of all.
        """
        self.nodes = tuple(nodes)
        self.edges, self.sum = split_sum(edges)
        self._bound = self.sum.bound if self.sum is not None else 0
        self._codes: dict[tuple[str, int], IntArray] = {}
        self._truth: list[Mask] = []
        for number, edge in enumerate(self.edges):
            shown: dict[str, Columns] = {}
            for node in edge.nodes:
                own, names = objects[node], edge.properties_of(node)
                rows = np.arange(length(own)) if valid is None else valid[node]
                found = group([numbered_together(name, [own])[rows] for name in names], len(rows))
                codes = np.zeros(length(own), dtype=np.int64)
                codes[rows] = found.of_each
                self._codes[(node, number)] = codes
                shown[node] = {name: own[name][rows[found.example]] for name in names}
            self._truth.append(try_out(edge, shown))
        self._cost = {node: np.zeros(length(objects[node]), dtype=np.int64) for node in self.nodes}
        for (node, name), weight in self.sum.weights.items() if self.sum is not None else ():
            self._cost[node] += weight * objects[node][name].astype(np.int64)
        self._orders = JoinOrders(self.nodes, self.edges, self._codes, self._truth)

    def count(self, chosen: Rows, most: int | None = None) -> int:
        """Return the number of solutions among the chosen objects.

        Where some number is the `most` of interest, one above it may be less than there are.
        """
        kept = dict(chosen)
        for node in self.nodes:
            kept[node] = kept[node][self.has_solution(node, kept[node], kept)]
            if len(kept[node]) == 0:
                return 0
            if most is not None and len(kept[node]) > most:
                return len(kept[node])  # each of them is in a solution of its own
        return int(self._eliminated(kept).weight.sum())

    def has_solution(self, node: str, candidates: IntArray, chosen: Rows) -> Mask:
        """Return for each candidate of `node` whether some solution runs through it.

        The solution's other objects are among the chosen ones. Candidates of one node never combine
        with each other, so one call tests them all exactly.
        """
        return np.asarray(self.least(node, candidates, chosen) <= self._bound)

    def least(self, node: str, candidates: IntArray, chosen: Rows) -> IntArray:
        """Return for each candidate the least bounded sum of a solution through it.

        It is above the bound where there is none.
        """
        rows = {**chosen, node: candidates}
        if any(len(positions) == 0 for positions in rows.values()):
            return np.full(len(candidates), NEVER)
        partial = self._eliminated(rows, tested=node)
        best = np.full(len(candidates) + 1, NEVER)
        np.minimum.at(best, partial.key, partial.total)
        return np.asarray(best[self._keys(node, candidates)] + self._cost[node][candidates])

    def cheapest(self, chosen: Rows) -> dict[str, int] | None:
        """Return the position of one object of each node that solve with the least bounded sum.

        Of several that cost the same the first ones are taken; `None` proves that none solve.
        """
        kept = dict(chosen)
        for node in self.nodes:
            totals = self.least(node, kept[node], kept)
            if len(totals) == 0 or totals.min() > self._bound:
                return None
            kept[node] = kept[node][[int(totals.argmin())]]
        return {node: int(own[0]) for node, own in kept.items()}

    def _keys(self, node: str, rows: IntArray) -> IntArray:
        """Number the candidates by what the plain edges see of them."""
        codes = [self._codes[item][rows] for item in self._codes if item[0] == node]
        return group(codes, len(rows)).of_each

    def _eliminated(self, rows: Rows, tested: str | None = None) -> _Partial:
        """Join node by node what breaks no edge and may stay in bounds.

        With a node that is tested, partial solutions through its objects are kept apart, without
        the objects' own costs, and of others that no later edge tells apart only the cheapest.
        """
        order = self._orders.order({node: len(own) for node, own in rows.items()}, tested)
        least = {node: int(self._cost[node][own].min()) for node, own in rows.items()}
        none = np.zeros(1, dtype=np.int64)
        state = _Partial({}, none, none + 1, none)
        for position, node in enumerate(order):
            ahead = order[position + 1 :]
            own = rows[node]
            entries = _Partial(
                {item: code[own] for item, code in self._codes.items() if item[0] == node},
                np.zeros(len(own), dtype=np.int64) if node == tested else self._cost[node][own],
                np.ones(len(own), dtype=np.int64),
                self._keys(node, own) if node == tested else np.zeros(len(own), dtype=np.int64),
            )
            # The tested objects' own cost is added at the end: it is to come wherever they stand.
            to_come = {*ahead, tested} if tested is not None else {*ahead}
            room = self._bound - sum(least[other] for other in to_come)
            entries = _merged(entries, cheapest=tested is not None)
            state = self._joined(state, node, entries, ahead, room, cheapest=tested is not None)
        return state

    def _joined(
        self,
        state: _Partial,
        node: str,
        entries: _Partial,
        ahead: Sequence[str],
        room: int,
        *,
        cheapest: bool,
    ) -> _Partial:
        """Join pairs (partial solution, entry) that break no edge and have room for the rest."""
        tables = []
        for number, edge in enumerate(self.edges):
            if node in edge.nodes and set(edge.nodes).isdisjoint(ahead):
                earlier = [other for other in edge.nodes if other != node]
                axes = [edge.nodes.index(other) for other in (*earlier, node)]
                truth = self._truth[number].transpose(axes)
                flat = np.ravel_multi_index(
                    [state.codes[(other, number)] for other in earlier], truth.shape[:-1]
                )
                own = entries.codes[(node, number)]
                tables.append((truth.reshape(-1, truth.shape[-1]), flat, own))
        still = {
            number
            for number, edge in enumerate(self.edges)
            if not set(edge.nodes).isdisjoint(ahead)
        }
        before, added = _still_read(state, still), _still_read(entries, still)
        # Pairs are merged as they come: many of them agree in all that is still read.
        parts = []
        step = max(1, CHUNK // max(1, len(entries.total)))
        for start in range(0, max(1, len(state.total)), step):
            part = slice(start, start + step)
            fits = state.total[part, None] + entries.total[None, :] <= room
            for truth, flat, numbers in tables:
                fits &= truth[flat[part]][:, numbers]
            left, right = np.nonzero(fits)
            pairs = _paired(before, added, left + start, right)
            parts.append(_merged(pairs, cheapest=cheapest))
        return parts[0] if len(parts) == 1 else _merged(_in_one(parts), cheapest=cheapest)


def _still_read(partial: _Partial, numbers: Collection[int]) -> _Partial:
    """Return partial solutions with the codes of some edges alone."""
    codes = {item: column for item, column in partial.codes.items() if item[1] in numbers}
    return partial._replace(codes=codes)


def _paired(state: _Partial, entries: _Partial, left: IntArray, right: IntArray) -> _Partial:
    """Return pairs of partial solutions, by their places, as partial solutions."""
    sides = ((left, state), (right, entries))
    return _Partial(
        {item: own[side] for side, partial in sides for item, own in partial.codes.items()},
        state.total[left] + entries.total[right],
        state.weight[left] * entries.weight[right],
        np.maximum(state.key[left], entries.key[right]),
    )


def _in_one(parts: Sequence[_Partial]) -> _Partial:
    codes = {item: np.concatenate([one.codes[item] for one in parts]) for item in parts[0].codes}
    columns = (np.concatenate(own) for own in zip(*(one[1:] for one in parts), strict=True))
    return _Partial(codes, *columns)


def best_orders(nodes: Sequence[str], edges: Sequence[Constraint]) -> list[tuple[str, ...]]:
    """Return the orders of nodes in which edges complete soonest."""
    together = [frozenset(edge.nodes) for edge in edges]
    orders: list[tuple[str, ...]] = [()]
    for _ in nodes:
        longer = [(*order, node) for order in orders for node in nodes if node not in order]
        done = [sum(edge <= set(order) for edge in together) for order in longer]
        best = max(done)
        orders = [
            order for order, edges_done in zip(longer, done, strict=True) if edges_done == best
        ]
    return orders


def narrowest_order(nodes: Sequence[str], edges: Sequence[Constraint]) -> tuple[str, ...]:
    """Return that of the best orders in which the fewest nodes are still read by edges to come."""

    def branches(order: tuple[str, ...]) -> int:
        places = {node: place for place, node in enumerate(order)}
        last = dict(places)
        for edge in edges:
            closes = max(places[node] for node in edge.nodes)
            last |= {node: max(last[node], closes) for node in edge.nodes}
        open_nodes = (
            sum(last[node] > place for node in order[: place + 1]) for place in range(len(order))
        )
        return sum(_SEVERAL**number for number in open_nodes)

    return min(best_orders(nodes, edges), key=branches)


def _merged(partial: _Partial, *, cheapest: bool) -> _Partial:
    """Merge partial solutions that no later edge tells apart: those of one total, or of any."""
    apart = [*partial.codes.values(), partial.key, *([] if cheapest else [partial.total])]
    first, of_each = group(apart, len(partial.total))
    total = np.full(len(first), NEVER)
    np.minimum.at(total, of_each, partial.total)
    weight = np.zeros(len(first), dtype=np.int64)
    np.add.at(weight, of_each, partial.weight)
    codes = {item: column[first] for item, column in partial.codes.items()}
    return _Partial(codes, total, weight, partial.key[first])
