from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.generation.constraints import (
    Constraint,
    SqlTerm,
    at_most,
    bounded_sum,
    equals,
    one_of,
    sql_literal,
    within,
)


def days_later(first, second, days):
    return second == first + days


def open_between(first, last, opens, closes):
    return (opens <= first) & (closes >= last)


def begins_in_time(day, minute, other_day, other_minute):
    return day * 1440 + minute >= other_day * 1440 + other_minute


PREDICATES = [
    (days_later, 2, {"days": 3}),
    (open_between, 4, {}),
    (begins_in_time, 4, {}),
    (within, 1, {"first": 2, "last": 5}),
]


@pytest.mark.parametrize(("predicate", "arity", "constants"), PREDICATES)
@given(data=st.data())
def test_a_predicate_says_the_same_of_scalars_arrays_and_sql(predicate, arity, constants, data):
    rows = data.draw(
        st.lists(st.tuples(*[st.integers(0, 8)] * arity), min_size=1, max_size=6), label="rows"
    )
    refs = tuple(("node", f"p{position}") for position in range(arity))
    constraint = Constraint("c", refs, predicate, constants)
    scalars = [constraint.holds(dict(zip(refs, row, strict=True))) for row in rows]
    columns = dict(zip(refs, np.array(rows).T, strict=True))
    assert np.asarray(constraint.evaluate(columns.__getitem__)).tolist() == scalars
    condition = constraint.sql(lambda ref: f'"{ref[1]}"')
    values = ", ".join(f"({', '.join(map(str, row))})" for row in rows)
    names = ", ".join(f'"{name}"' for _, name in refs)
    found = duckdb.execute(f"SELECT {condition} FROM (VALUES {values}) t({names})").fetchall()
    assert [answer for (answer,) in found] == scalars
    opposite = constraint.negated()
    assert [opposite.holds(dict(zip(refs, row, strict=True))) for row in rows] == [
        not answer for answer in scalars
    ]


def test_fixing_a_property_keeps_the_answer_and_spends_the_bound():
    total = bounded_sum("sum", {("a", "price"): 2, ("b", "price"): 3}, 20, "")
    rest = total.fix({("a", "price"): 4})
    assert rest.refs == (("b", "price"),)
    assert rest.linear is not None
    assert rest.linear.bound == 12
    assert rest.holds({("b", "price"): 4})
    assert not rest.holds({("b", "price"): 5})


def test_sql_of_strings_is_quoted():
    constraint = Constraint("c", (("n", "kind"),), equals, {"required": "it's"})
    assert constraint.sql(lambda ref: ref[1]) == "(kind = 'it''s')"


def test_a_float_has_no_sql():
    with pytest.raises(TypeError, match="float"):
        sql_literal(1.5)
    with pytest.raises(TypeError):
        SqlTerm("x") + 1.5


@pytest.mark.parametrize("divisor", [-7, -2, -1, 1, 2, 5, 60])
@given(values=st.lists(st.integers(-200, 200), min_size=1, max_size=5))
def test_division_and_remainder_are_pythons_in_sql_too(divisor, values):
    term = SqlTerm("x")
    shown = ", ".join(f"({value})" for value in values)
    parts = f"{(term // divisor).sql}, {(term % divisor).sql}, {abs(term).sql}, {(-term).sql}"
    found = duckdb.execute(f"SELECT {parts} FROM (VALUES {shown}) t(x)").fetchall()
    array = np.array(values)
    expected = zip(array // divisor, array % divisor, abs(array), -array, strict=True)
    assert found == [tuple(map(int, row)) for row in expected]
    assert [row[:2] for row in found] == [divmod(value, divisor) for value in values]


def test_a_condition_that_is_sql_has_no_truth_value():
    term = SqlTerm("x")
    with pytest.raises(TypeError, match="chained comparisons"):
        bool(2 <= term <= 5)
    with pytest.raises(TypeError, match="&"):
        bool((term == 1) or (term == 2))
    refused: list[Any] = [0, 2.5, term, True]
    for divisor in refused:
        with pytest.raises(TypeError, match="divide"):
            term // divisor


def test_one_of_and_at_most():
    assert one_of("a", ("b", "a"))
    assert not one_of("c", ("b", "a"))
    assert Constraint("c", (("n", "x"),), one_of, {"choices": ("b", "a")}).sql(
        lambda ref: ref[1]
    ) == ("((x = 'b') OR (x = 'a'))")
    assert at_most(2, 2)
    assert not at_most(3, 2)
