"""Orders of joins: what narrows comes first, and no order changes what is counted."""

from itertools import permutations, product

import numpy as np
import pytest

from crab_graph.generation.constraints import Constraint, bounded_sum, equals
from crab_graph.generation.counting import EliminationCounter
from crab_graph.generation.join_order import JoinOrders, cheapest_order

NODES = "abcd"


def follows(node, other, predicate=equals):
    return Constraint(f"{node}{other}", ((node, "x"), (other, "x")), predicate)


def test_nodes_that_must_agree_are_joined_before_those_that_hardly_narrow():
    edges = [follows("a", "b", lambda a, b: a != b), follows("b", "c"), follows("a", "c")]
    order = cheapest_order("abc", edges, lambda node, numbers: 100, [0.99, 0.01, 0.5])
    assert order[-1] == "a"


def test_what_no_edge_reads_costs_nothing_wherever_it_stands():
    order = cheapest_order(NODES, [follows("a", "b")], lambda node, numbers: 9, [0.1])
    assert sorted(order) == sorted(NODES)


def _holds(edges, objects, places):
    read = {
        (node, name): int(objects[node][name][at])
        for node, at in places.items()
        for name in objects[node]
    }
    return all(edge.holds(read) for edge in edges)


@pytest.mark.parametrize("seed", range(3))
def test_every_order_counts_the_same(seed, monkeypatch):
    rng = np.random.RandomState(seed)
    objects = {node: {"x": rng.randint(0, 4, 8), "price": rng.randint(1, 9, 8)} for node in NODES}
    edges = [
        follows("a", "b"),
        follows("b", "c", lambda b, c: b <= c),
        follows("a", "d", lambda a, d: a != d),
        bounded_sum("total", {(node, "price"): 1 for node in NODES}, 16, ""),
    ]
    every = {node: np.arange(8) for node in NODES}
    counted = set()
    for order in permutations(NODES):
        monkeypatch.setattr(JoinOrders, "order", lambda self, sizes, tested=None, o=order: o)
        counted.add(EliminationCounter(NODES, edges, objects).count(every))
    by_hand = sum(
        _holds(edges, objects, dict(zip(NODES, places, strict=True)))
        for places in product(range(8), repeat=4)
    )
    assert counted == {by_hand}
