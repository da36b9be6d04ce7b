"""In which order nodes are joined so that the least is tried and carried along.

What a join tries is estimated from the objects: how many of a node's profiles edges still tell
apart, and which share of combinations each edge lets through. So an edge that says two values are
equal narrows by as much as these differ, and one that most pairs keep narrows by little. The order
decides how much work a count is, never what it comes to.
"""

from collections.abc import Callable, Mapping, Sequence, Set

from crab_graph.generation.constraints import Constraint, Ref
from crab_graph.generation.objects import IntArray, Mask, group
from crab_graph.randomness import derive_array_rng

SAMPLED = 4096
"""Combinations by which it is estimated which share of them an edge lets through."""

Distinct = Callable[[str, Set[int]], int]
"""How many rows of a node some edges, by their numbers, tell apart."""


def cheapest_order(
    nodes: Sequence[str],
    edges: Sequence[Constraint],
    distinct: Distinct,
    shares: Sequence[float],
) -> tuple[str, ...]:
    """Return the order in which the fewest pairs are tried, as far as estimates tell.

    `shares` has of each edge which share of all combinations it lets through.
    """
    plan = _Estimate(nodes, edges, distinct, shares)
    best: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}
    for _ in nodes:
        longer: dict[int, tuple[float, tuple[int, ...]]] = {}
        for done, (cost, order) in best.items():
            carried = plan.carried(done)
            for place, entries in enumerate(plan.entries):
                if not done & 1 << place:
                    more = done | 1 << place
                    found = (cost + carried * entries, (*order, place))
                    longer[more] = min(longer.get(more, found), found)
        best = longer
    [(_, places)] = best.values()
    return tuple(nodes[place] for place in places)


class _Estimate:
    """How many partial solutions stand after some nodes, and what one more has to try.

    Nodes are told by their places, several of them by one number with a bit for each.

    Attributes:
        entries: How many rows of each node are told apart by any edge.
    """

    def __init__(
        self,
        nodes: Sequence[str],
        edges: Sequence[Constraint],
        distinct: Distinct,
        shares: Sequence[float],
    ) -> None:
        self._names = nodes
        bits = {node: 1 << place for place, node in enumerate(nodes)}
        self._nodes = [sum(bits[node] for node in edge.nodes) for edge in edges]
        self._read = [frozenset(edge.refs) for edge in edges]
        self._own = [
            [number for number, edge in enumerate(edges) if node in edge.nodes] for node in nodes
        ]
        self._distinct, self._shares = distinct, shares
        named = zip(nodes, self._own, strict=True)
        self.entries = [distinct(node, frozenset(own)) for node, own in named]

    def carried(self, done: int) -> float:
        """Return how many partial solutions of these nodes open edges tell apart, about.

        An edge that is closed counts where open ones still tell apart all that it reads.
        """
        still = {number for number, nodes in enumerate(self._nodes) if nodes & ~done}
        told = 1.0
        for place, own in enumerate(self._own):
            if done & 1 << place:
                told *= self._distinct(self._names[place], still.intersection(own))
        read: set[Ref] = set().union(*(self._read[number] for number in still))
        for number, refs in enumerate(self._read):
            if number not in still and refs <= read:
                told *= self._shares[number]
        return max(told, 1.0)


class JoinOrders:
    """The orders in which an elimination joins nodes, by how many rows of each take part."""

    def __init__(
        self,
        nodes: Sequence[str],
        edges: Sequence[Constraint],
        codes: Mapping[tuple[str, int], IntArray],
        truth: Sequence[Mask],
    ) -> None:
        """Prepare for objects with the numbers of their profiles, and each edge's answer on all."""
        self._nodes, self._edges, self._codes, self._truth = nodes, edges, codes, truth
        self._shares: list[float] = []
        self._told: dict[tuple[str, frozenset[int]], int] = {}
        self._known: dict[tuple[str | None, tuple[int, ...]], tuple[str, ...]] = {}

    def order(self, sizes: Mapping[str, int], tested: str | None = None) -> tuple[str, ...]:
        """Return the order for so many rows of each node, give or take, of which one is tested.

        The objects of the node that is tested are told apart to the end, so it comes last.
        """
        rough = tuple(sizes[node].bit_length() for node in self._nodes)
        if (tested, rough) not in self._known:
            most = {node: 1 << bits for node, bits in zip(self._nodes, rough, strict=True)}
            self._known[tested, rough] = self._cheapest(most, tested)
        return self._known[tested, rough]

    def _cheapest(self, most: Mapping[str, int], tested: str | None) -> tuple[str, ...]:
        if not self._shares:
            self._shares = [self._share(number) for number in range(len(self._edges))]

        def distinct(node: str, numbers: Set[int]) -> int:
            told = self._every(node) if node == tested else frozenset(numbers)
            return min(most[node], self._told_apart(node, told))

        return cheapest_order(self._nodes, self._edges, distinct, self._shares)

    def _every(self, node: str) -> frozenset[int]:
        return frozenset(number for owner, number in self._codes if owner == node)

    def _told_apart(self, node: str, numbers: frozenset[int]) -> int:
        if (node, numbers) not in self._told:
            own = [self._codes[node, number] for number in sorted(numbers)]
            size = len(own[0]) if own else 1
            self._told[node, numbers] = len(group(own, size).example)
        return self._told[node, numbers]

    def _share(self, number: int) -> float:
        """Return which share of the combinations of objects an edge lets through, about."""
        own = [self._codes[node, number] for node in self._edges[number].nodes]
        if not all(map(len, own)):
            return 1.0
        rng = derive_array_rng(0, "join order", number)
        drawn = tuple(codes[rng.randint(0, len(codes), SAMPLED)] for codes in own)
        return max(float(self._truth[number][drawn].mean()), 1 / SAMPLED)
