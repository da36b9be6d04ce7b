"""Exact counting by array elimination: join node by node, sum away what no edge needs.

Objects enter as *edge codes*: for each edge, the number of the object's distinct profile with
respect to it (paper A.4, `profile(o, c)`). Each edge is tried out once on all combinations of
profiles; a join is then a look-up. One bounded sum is carried along as a partial total; further
ones count as plain edges.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.generation.constraints import Constraint, LinearSum
from crab_graph.generation.objects import Columns, IntArray, Mask, group, length, numbered_together

Rows = Mapping[str, IntArray]
"""Positions of the objects of each node that take part."""

NEVER = np.int64(2**60)
"""Cost of what cannot be completed; far above any total, far below overflow."""

CHUNK = 2_000_000
"""Largest number of pairs a join looks at in one go."""


class _Entries(NamedTuple):
    """Objects of one node, grouped: codes per edge, cost, and how many objects a group holds."""

    codes: dict[int, IntArray]
    cost: IntArray
    weight: IntArray
    key: IntArray


class _State(NamedTuple):
    """Partial solutions, grouped by the codes that edges still need."""

    codes: dict[tuple[str, int], IntArray]
    total: IntArray
    weight: IntArray
    key: IntArray


class EliminationCounter:
    """Counts and tests the solutions among given objects.

    Args:
        nodes: Node ids.
        edges: Edge constraints over these nodes.
        objects: Columns of each node's objects; only node-valid ones may take part in a call.
    """

    def __init__(
        self, nodes: Sequence[str], edges: Sequence[Constraint], objects: Mapping[str, Columns]
    ) -> None:
        self.nodes = tuple(nodes)
        sums = [edge for edge in edges if edge.linear is not None]
        self.sum: LinearSum | None = sums[0].linear if sums else None
        self.edges = tuple(edge for edge in edges if not sums or edge is not sums[0])
        self._codes: dict[tuple[str, int], IntArray] = {}
        self._truth = [self._tabulate(number, objects) for number in range(len(self.edges))]
        self._cost = {node: self._costs(node, objects[node]) for node in self.nodes}

    def count(self, chosen: Rows) -> int:
        """Return the number of solutions among the chosen objects."""
        kept = dict(chosen)
        for node in self.nodes:
            kept[node] = kept[node][self.has_solution(node, kept[node], kept)]
            if len(kept[node]) == 0:
                return 0
        state: _State | None = None
        order = elimination_order(self.nodes, self.edges)
        for position, node in enumerate(order):
            entries = self._entries(node, kept[node], keyed=False, cheapest=False)
            ahead = order[position + 1 :]
            rest = sum(self._least(other, kept) for other in ahead)
            state = self._join(state, node, entries, ahead, rest, cheapest=False)
        return int(state.weight.sum()) if state is not None else 0

    def has_solution(self, node: str, candidates: IntArray, chosen: Rows) -> Mask:
        """Return for each candidate of `node` whether some solution runs through it.

        The solution's other objects are among the chosen ones. Candidates of one node never combine
        with each other, so one call tests them all exactly.
        """
        rows = {**chosen, node: candidates}
        if any(len(positions) == 0 for positions in rows.values()):
            return np.zeros(len(candidates), dtype=np.bool_)
        state: _State | None = None
        order = self._orders[node]
        for position, other in enumerate(order):
            keyed = other == node
            entries = self._entries(other, rows[other], keyed=keyed, cheapest=True)
            if keyed:
                entries = entries._replace(cost=np.zeros_like(entries.cost))
            ahead = order[position + 1 :]
            # The candidates' own cost is added at the end, so it is to come wherever they stand.
            rest = sum(self._least(one, rows) for one in {*ahead, node})
            state = self._join(state, other, entries, ahead, rest, cheapest=True)
        best = np.full(len(candidates) + 1, NEVER)
        if state is not None:
            np.minimum.at(best, state.key, state.total)
        keys = self._keys(node, candidates)
        found: Mask = best[keys] + self._cost[node][candidates] <= self._bound
        return found

    def _least(self, node: str, rows: Rows) -> int:
        return int(self._cost[node][rows[node]].min())

    @property
    def _bound(self) -> int:
        return self.sum.bound if self.sum is not None else 0

    def _tabulate(self, number: int, objects: Mapping[str, Columns]) -> NDArray[np.bool_]:
        """Number each node's profiles for an edge and try the edge on all of their combinations."""
        edge = self.edges[number]
        axes: dict[tuple[str, str], NDArray[Any]] = {}
        for axis, node in enumerate(edge.nodes):
            names = edge.properties_of(node)
            own = objects[node]
            found = group([numbered_together(name, [own]) for name in names], length(own))
            self._codes[(node, number)] = found.of_each
            shape = [1] * len(edge.nodes)
            shape[axis] = -1
            for name in names:
                axes[(node, name)] = own[name][found.example].reshape(shape)
        sizes = [int(self._codes[(node, number)].max(initial=-1)) + 1 for node in edge.nodes]
        answer = np.asarray(edge.evaluate(axes.__getitem__), dtype=bool)
        return np.broadcast_to(answer, sizes)

    def _costs(self, node: str, columns: Columns) -> IntArray:
        cost = np.zeros(length(columns), dtype=np.int64)
        if self.sum is not None:
            for (owner, name), weight in self.sum.weights.items():
                if owner == node:
                    cost += weight * columns[name].astype(np.int64)
        return cost

    @cached_property
    def _orders(self) -> Mapping[str, tuple[str, ...]]:
        return {node: elimination_order(self.nodes, self.edges, last=node) for node in self.nodes}

    def _keys(self, node: str, rows: IntArray) -> IntArray:
        """Number the candidates by what the plain edges see of them."""
        codes = [self._codes[item][rows] for item in self._codes if item[0] == node]
        return group(codes, len(rows)).of_each

    def _entries(self, node: str, rows: IntArray, *, keyed: bool, cheapest: bool) -> _Entries:
        """Group the objects of a node by codes and cost, or by codes alone with the least cost."""
        numbers = [number for owner, number in self._codes if owner == node]
        codes = {number: self._codes[(node, number)][rows] for number in numbers}
        cost = self._cost[node][rows]
        key = self._keys(node, rows) if keyed else np.zeros(len(rows), dtype=np.int64)
        first, of_each = group([*codes.values(), key, *([] if cheapest else [cost])], len(rows))
        weight = np.bincount(of_each, minlength=len(first))
        least = np.full(len(first), NEVER)
        np.minimum.at(least, of_each, cost)
        return _Entries({n: c[first] for n, c in codes.items()}, least, weight, key[first])

    def _join(
        self,
        state: _State | None,
        node: str,
        entries: _Entries,
        ahead: Sequence[str],
        rest: int,
        *,
        cheapest: bool,
    ) -> _State:
        if state is None:
            codes = {(node, number): column for number, column in entries.codes.items()}
            return _State(codes, entries.cost, entries.weight, entries.key)
        left, right = self._compatible_pairs(state, node, entries, ahead, rest)
        total = state.total[left] + entries.cost[right]
        codes = {
            **{item: column[left] for item, column in state.codes.items()},
            **{(node, number): column[right] for number, column in entries.codes.items()},
        }
        waiting = {
            number for number, edge in enumerate(self.edges) if any(n in ahead for n in edge.nodes)
        }
        codes = {item: column for item, column in codes.items() if item[1] in waiting}
        weight = state.weight[left] * entries.weight[right]
        key = np.maximum(state.key[left], entries.key[right])
        joined = _State(codes, total, weight, key)
        return _cheapest(joined) if cheapest else _summed(joined)

    def _compatible_pairs(
        self, state: _State, node: str, entries: _Entries, ahead: Sequence[str], rest: int
    ) -> tuple[IntArray, IntArray]:
        """Return pairs (partial solution, entry) that break no edge and may stay in bounds."""
        tables = []
        for number, edge in enumerate(self.edges):
            if node in edge.nodes and not any(other in ahead for other in edge.nodes):
                earlier = [other for other in edge.nodes if other != node]
                axes = [edge.nodes.index(other) for other in earlier]
                truth = self._truth[number].transpose([*axes, edge.nodes.index(node)])
                flat = np.ravel_multi_index(
                    [state.codes[(other, number)] for other in earlier], truth.shape[:-1]
                )
                tables.append((truth.reshape(-1, truth.shape[-1]), flat, entries.codes[number]))
        room = self._bound - rest
        lefts, rights = [], []
        step = max(1, CHUNK // max(1, len(entries.cost)))
        for start in range(0, len(state.total), step):
            part = slice(start, start + step)
            fits = state.total[part, None] + entries.cost[None, :] <= room
            for truth, flat, codes in tables:
                fits &= truth[flat[part]][:, codes]
            left, right = np.nonzero(fits)
            lefts.append(left + start)
            rights.append(right)
        if not lefts:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        return np.concatenate(lefts), np.concatenate(rights)


def elimination_order(
    nodes: Sequence[str], edges: Sequence[Constraint], last: str | None = None
) -> tuple[str, ...]:
    """Return the order of nodes in which edges complete soonest, `last` as late as that allows."""
    pairs = [frozenset(edge.nodes) for edge in edges]
    completions = {
        order: [
            sum(pair <= set(order[:size]) for pair in pairs) for size in range(1, len(order) + 1)
        ]
        for order in permutations(nodes)
    }
    most = max(completions.values())
    best = [order for order, completed in completions.items() if completed == most]
    return best[0] if last is None else max(best, key=lambda order: order.index(last))


def _summed(state: _State) -> _State:
    """Merge partial solutions that no later edge tells apart, adding up how many there are."""
    first, of_each = group([*state.codes.values(), state.total], len(state.total))
    weight = np.zeros(len(first), dtype=np.int64)
    np.add.at(weight, of_each, state.weight)
    codes = {item: column[first] for item, column in state.codes.items()}
    return _State(codes, state.total[first], weight, state.key[first])


def _cheapest(state: _State) -> _State:
    """Merge partial solutions that no later edge tells apart, keeping the least total."""
    first, of_each = group([*state.codes.values(), state.key], len(state.total))
    total = np.full(len(first), NEVER)
    np.minimum.at(total, of_each, state.total)
    codes = {item: column[first] for item, column in state.codes.items()}
    return _State(codes, total, state.weight[first], state.key[first])
