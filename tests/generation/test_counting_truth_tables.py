"""Counting by elimination on instances small enough to count by hand: bounds, ties, empty nodes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.generation import counting
from crab_graph.generation.constraints import Constraint, bounded_sum, equals
from crab_graph.generation.counting import NEVER, EliminationCounter, best_orders

SAME = Constraint("same", (("a", "kind"), ("b", "kind")), equals)
ALSO = Constraint("also", (("b", "kind"), ("c", "kind")), equals)
PRICES = {"a": [1, 2, 3], "b": [10, 20], "c": [100]}
KINDS = {"a": [0, 1, 0], "b": [0, 1], "c": [0]}
WEIGHTS = {("a", "price"): 1, ("b", "price"): 2, ("c", "price"): 1}
"""The sums of (a, b) are 121, 141, 122, 142, 123, 143: first of a with each of b, and so on."""


def at_most(bound, weights=WEIGHTS):
    return bounded_sum("sum", weights, bound, "")


def counter(*edges, nodes="abc", valid=None):
    objects = {
        node: {"price": np.array(PRICES[node]), "kind": np.array(KINDS[node])} for node in nodes
    }
    return EliminationCounter(tuple(nodes), edges, objects, valid)


def all_of(nodes="abc", **chosen):
    return {node: np.array(chosen.get(node, range(len(PRICES[node])))) for node in nodes}


@pytest.mark.parametrize(
    ("edges", "number"),
    [
        ((), 6),
        ((SAME,), 3),
        ((SAME, ALSO), 2),
        ((at_most(120),), 0),
        ((at_most(121),), 1),
        ((at_most(122),), 2),
        ((at_most(140),), 3),
        ((at_most(141),), 4),
        ((at_most(142),), 5),
        ((at_most(143),), 6),
        ((SAME, at_most(142)), 3),
        ((SAME, at_most(141)), 2),
        ((SAME, at_most(121)), 1),
        ((at_most(0),), 0),
        ((at_most(-1),), 0),
    ],
)
def test_how_many_solve(edges, number, monkeypatch):
    for chunk in (counting.CHUNK, 4, 1):
        monkeypatch.setattr(counting, "CHUNK", chunk)
        assert counter(*edges).count(all_of()) == number


def test_a_sum_that_costs_nothing_has_a_bound_too():
    free = {("a", "kind"): 1}
    assert counter(at_most(0, free)).count(all_of()) == 4
    assert counter(at_most(1, free)).count(all_of()) == 6
    assert counter(at_most(-1, free)).count(all_of()) == 0


def test_more_than_is_of_interest_is_told_from_less():
    free = at_most(1, {("a", "kind"): 1})
    for most in range(8):
        found = counter(free).count(all_of(), most)
        assert found == 6 if most >= 6 else found > most


def test_objects_that_are_not_chosen_do_not_count():
    assert counter(SAME).count(all_of(a=[0])) == 1
    assert counter(SAME).count(all_of(a=[0, 2])) == 2
    assert counter(SAME).count(all_of(a=[1], b=[0])) == 0
    for node in "abc":
        assert counter(SAME).count(all_of(**{node: np.zeros(0, dtype=np.int64)})) == 0


@given(
    rows=st.fixed_dictionaries(
        {
            node: st.lists(st.sampled_from(range(len(own))), min_size=1, unique=True)
            for node, own in PRICES.items()
        }
    ),
    bound=st.integers(118, 145),
    edges=st.sampled_from([(), (SAME,), (ALSO,), (SAME, ALSO)]),
)
def test_edges_tried_out_on_what_is_valid_alone_say_the_same_of_it(rows, bound, edges):
    valid = {node: np.array(own) for node, own in rows.items()}
    every, few = (counter(*edges, at_most(bound), valid=own) for own in (None, valid))
    assert few.count(valid) == every.count(valid)
    assert few.cheapest(valid) == every.cheapest(valid)
    for node, own in valid.items():
        found, expected = (one.least(node, own, valid) for one in (few, every))
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("node", ["a", "b", "c"])
def test_through_which_objects_a_solution_runs_and_what_it_costs_at_least(node):
    least = {"a": [121, 122, 123], "b": [121, 141], "c": [121]}[node]
    every = np.arange(len(least))
    for bound in (120, 121, 122, 141, 200):
        made = counter(at_most(bound))
        can = [one <= bound for one in least]
        assert made.has_solution(node, every, all_of()).tolist() == can
        found = made.least(node, every, all_of())
        assert [cost for cost, is_in in zip(found, can, strict=True) if is_in] == [
            cost for cost, is_in in zip(least, can, strict=True) if is_in
        ]
        assert all(cost > bound for cost, is_in in zip(found, can, strict=True) if not is_in)


def test_nothing_runs_through_anything_where_another_node_has_none():
    nothing = all_of(c=np.zeros(0, dtype=np.int64))
    for node in "ab":
        every = np.arange(len(PRICES[node]))
        assert counter(SAME).least(node, every, nothing).tolist() == [NEVER] * len(every)
        assert not counter(SAME).has_solution(node, every, nothing).any()
    assert counter(SAME).cheapest(nothing) is None
    assert counter(SAME).cheapest(all_of(a=np.zeros(0, dtype=np.int64))) is None


@pytest.mark.parametrize(
    ("edges", "chosen", "cheapest"),
    [
        ((at_most(121),), {}, {"a": 0, "b": 0, "c": 0}),
        ((at_most(120),), {}, None),
        ((at_most(143),), {"a": [1, 2], "b": [1]}, {"a": 1, "b": 1, "c": 0}),
        ((SAME, at_most(142)), {"a": [1]}, {"a": 1, "b": 1, "c": 0}),
        ((SAME, at_most(141)), {"a": [1]}, None),
        ((), {"a": [2, 1, 0]}, {"a": 2, "b": 0, "c": 0}),
        ((SAME,), {"a": [1, 2]}, {"a": 1, "b": 1, "c": 0}),
    ],
)
def test_the_cheapest_that_solves_the_first_of_those_that_cost_the_same(edges, chosen, cheapest):
    assert counter(*edges).cheapest(all_of(**chosen)) == cheapest


def test_orders_complete_edges_soonest():
    chain = [SAME, ALSO]
    assert best_orders("abc", chain) == [tuple("abc"), tuple("bac"), tuple("bca"), tuple("cba")]
    assert best_orders("abc", [ALSO]) == [tuple("bca"), tuple("cba")]
    assert len(best_orders("abc", [])) == 6
    span = Constraint("span", (("a", "kind"), ("b", "kind"), ("c", "kind")), equals)
    assert best_orders("abc", [span, ALSO]) == [tuple("bca"), tuple("cba")]


def test_an_edge_that_completes_first_counts_for_more_than_two_that_come_later():
    late = [
        Constraint(name, (("c", "kind"), ("d", "kind"), ("e", "kind")), equals)
        for name in ("one", "two")
    ]
    found = best_orders("abcde", [SAME, *late])
    assert found and all(set(order[:2]) == {"a", "b"} for order in found)
