"""A condition and the parts that `&` joins say the same, each part over what it reads."""

from itertools import product

import pytest

from crab_graph.generation.conjuncts import conjuncts
from crab_graph.generation.constraints import Constraint, bounded_sum, one_of

A, B, C = ("a", "x"), ("b", "x"), ("c", "x")


def between(a, b, c):
    return (a * 2 <= b + 1) & (abs(b - c) < 2)


def all_alike(a, b, c):
    return (a == b) & ((b == c) & (-c <= -b))


def either(a, b, c):
    return (a == b) | ((b == c) & (a != c))


def not_both(a, b, c):
    return ((a == b) & (b == c)) == False  # noqa: E712  (as a negated constraint says it)


def from_the_left(a, b, c):
    return (a >= 1) & (5 - b >= c % 2) & (a // 2 == c)


SPLIT = [(between, 2), (all_alike, 3), (either, 1), (not_both, 1), (from_the_left, 3)]


@pytest.mark.parametrize(("predicate", "number"), SPLIT)
def test_the_parts_hold_together_exactly_where_the_condition_holds(predicate, number):
    whole = Constraint("whole", (A, B, C), predicate)
    parts = conjuncts(whole)
    assert len(parts) == number
    for values in product(range(4), repeat=3):
        said = dict(zip((A, B, C), values, strict=True))
        assert all(part.holds(said) for part in parts) == whole.holds(said), said


def test_each_part_names_the_nodes_that_it_reads_and_no_others():
    assert [part.nodes for part in conjuncts(Constraint("", (A, B, C), between))] == [
        ("a", "b"),
        ("b", "c"),
    ]


def test_what_is_decided_already_is_no_longer_read():
    decided = Constraint("", (A, B, C), between).fix({A: 1})
    parts = conjuncts(decided)
    assert [part.nodes for part in parts] == [("b",), ("b", "c")]
    for b, c in product(range(4), repeat=2):
        said = {B: b, C: c}
        assert all(part.holds(said) for part in parts) == decided.holds(said)


def test_constants_are_part_of_the_condition():
    listed = Constraint("", (A,), one_of, {"choices": (1, 3)})
    assert [value for value in range(4) if conjuncts(listed)[0].holds({A: value})] == [1, 3]


def test_a_bounded_sum_stays_one():
    total = bounded_sum("total", {A: 1, B: 2}, 5, "")
    assert conjuncts(total) == [total]


def test_what_always_holds_has_no_parts_and_what_never_does_has_itself():
    for bound, number in ((3, 0), (1, 1)):
        decided = Constraint("", (A,), lambda a, bound: a < bound, {"bound": bound}).fix({A: 2})
        assert len(conjuncts(decided)) == number
        assert all(part.holds({}) for part in conjuncts(decided)) == decided.holds({})
