"""What predicates state, as learned by calling them once."""

import operator

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.domain.tracing import (
    NUMBER,
    TEXT,
    UntraceablePredicate,
    parameters_of,
    trace,
)
from crab_graph.generation.constraints import Constraint, equals

OWNERS = {"a": {"x": NUMBER, "y": NUMBER, "name": TEXT}, "b": {"x": NUMBER, "name": TEXT}}
GIVEN = {"days": NUMBER, "label": TEXT}

_fields = st.sampled_from([("ref", "a", "x"), ("ref", "a", "y"), ("ref", "b", "x")])
_numbers = st.recursive(
    st.one_of(
        _fields,
        st.just(("given", "days")),
        st.integers(-3, 9).map(lambda value: ("literal", value)),
    ),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul"]), inner, inner),
        st.tuples(st.sampled_from(["neg", "abs"]), inner),
        st.tuples(
            st.sampled_from(["floordiv", "mod"]),
            inner,
            st.sampled_from([-4, -1, 2, 7]).map(lambda value: ("literal", value)),
        ),
    ),
    max_leaves=6,
)
_sums = st.tuples(st.sampled_from(["add", "sub", "mul"]), _numbers, _fields)
_rows = st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=1, max_size=5)
_conditions = st.recursive(
    st.tuples(st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]), _numbers, _sums),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["and_", "or_", "eq"]), inner, inner),
        st.tuples(st.just("invert"), inner),
    ),
    max_leaves=4,
)


def compute(said, read, *, is_plain):
    """Return what an expression comes to; `~` of a plain truth value is its opposite."""
    kind, *parts = said
    if kind == "literal":
        return parts[0]
    if kind in ("ref", "given"):
        return read(*parts)
    values = [compute(part, read, is_plain=is_plain) for part in parts]
    if kind == "invert" and is_plain:
        return not values[0]
    return getattr(operator, kind)(*values)


@given(said=_conditions, rows=_rows)
def test_a_traced_predicate_says_the_same_of_numbers_arrays_and_sql(said, rows):
    def predicate(a, b, r):
        views = {"a": a, "b": b, "days": r}
        return compute(said, lambda owner, name="days": getattr(views[owner], name), is_plain=False)

    stated = trace(predicate, OWNERS, GIVEN)
    constants = {"days": 3} if stated.given else {}
    constraint = Constraint("c", stated.refs, stated.predicate, constants)
    refs = [("a", "x"), ("a", "y"), ("b", "x")]
    scalars, plain = [], []
    for row in rows:
        values = dict(zip(refs, row, strict=True))
        scalars.append(constraint.holds(values))
        plain.append(
            bool(
                compute(
                    said,
                    lambda owner, name=None, values=values: values[owner, name] if name else 3,
                    is_plain=True,
                )
            )
        )
    assert scalars == plain
    columns = dict(zip(refs, np.array(rows, dtype=np.int64).T, strict=True))
    answer = np.broadcast_to(np.asarray(constraint.evaluate(columns.__getitem__)), (len(rows),))
    assert answer.tolist() == scalars
    condition = constraint.sql(lambda ref: f'"{ref[0]}{ref[1]}"')
    listed = ", ".join(f"({', '.join(map(str, row))})" for row in rows)
    found = duckdb.execute(f"SELECT {condition} FROM (VALUES {listed}) t(ax, ay, bx)").fetchall()
    assert [value for (value,) in found] == scalars


def test_a_plain_equality_of_two_fields_is_known_as_one():
    stated = trace(lambda a, b: a.name == b.name, OWNERS)
    assert stated.predicate is equals
    assert stated.refs == (("a", "name"), ("b", "name"))
    assert stated.owners == ("a", "b")
    assert trace(lambda a, b: a.name != b.name, OWNERS).predicate is not equals


@pytest.mark.parametrize(
    ("holds", "is_likeness"),
    [
        (lambda a, b, c: (a.x == b.x) & (b.x == c.x), True),
        (lambda a, b, c: (a.x == b.x) & (b.x != c.x), False),
        (lambda a, b, c: (a.x == b.x) & (a.y == c.y), False),
        (lambda a, b: a.x == b.x, True),
    ],
)
def test_fields_are_alike_where_equalities_say_so_of_all_of_them(holds, is_likeness):
    owners = {name: {"x": "number", "y": "number"} for name in "abc"}
    assert trace(holds, owners).is_likeness is is_likeness


def test_parameters_are_slots_and_the_request_comes_by_name():
    def predicate(return_, a, r):
        return (return_.date == a.x + r.days) & (a.name == r.label)

    assert parameters_of(predicate) == ("return", "a", "r")
    stated = trace(predicate, {"return": {"date": NUMBER}, "a": OWNERS["a"]}, GIVEN)
    assert stated.refs == (("return", "date"), ("a", "x"), ("a", "name"))
    assert stated.given == ("days", "label")
    assert stated.predicate(7, 4, "Oak", days=3, label="Oak")
    assert not stated.predicate(7, 4, "Oak", days=3, label="Elm")


@pytest.mark.parametrize(
    ("predicate", "says"),
    [
        (lambda a, b: a.x < b.x and a.y < b.x, "use & | ~"),
        (lambda a, b: a.x < b.x or a.y < b.x, "use & | ~"),
        (lambda a, b: not a.x < b.x, "use & | ~"),
        (lambda a, b: a.x <= b.x <= 9, "a chained comparison"),
        (lambda a, b: a.x in (1, b.x), "`in`"),
        (lambda a, b: 1 if a.x == b.x else 2, "`if`"),
        (lambda a, b: max(a.x, b.x) > 2, "`max`"),
        (lambda a, b: a.x == 1 & b.x == 2, "each comparison in ( )"),
        (lambda a, b: (a.x == 1) & b.x, "takes & of a number"),
        (lambda a, b: ~a.x == b.x, "takes ~ of a number"),
        (lambda a, b: a.x + b.name == 2, "takes + of a text"),
        (lambda a, b: a.x == b.name, "compares a number with a text"),
        (lambda a, b: a.name < b.name, "takes < of a text"),
        (lambda a, b: a.x / 2 == b.x, "use //"),
        (lambda a, b: a.x // b.x == 1, "divides by"),
        (lambda a, b: a.x % 0 == b.x, "divides by"),
        (lambda a, b: 7 // a.x == b.x, "divides by"),
        (lambda a, b: a.x * 1.5 == b.x, "uses 1.5, a float"),
        (lambda a, b: a.x == None, "uses None"),  # noqa: E711
        (lambda a, b: a.colour == b.x, "reads a.colour, which there is not; it has x, y, name"),
        (lambda a, b: a.x - b.x, "answers a number, not a condition"),
        (lambda a, b: True, "always answers True"),
        (lambda a, b: len(a.name) == b.x, "fails as it is read: TypeError"),
        (lambda a, b: any(one == 1 for one in a.x), "as if it were a list"),
    ],
)
def test_what_is_not_made_of_operators_is_refused(predicate, says):
    with pytest.raises(UntraceablePredicate) as caught:
        trace(predicate, OWNERS)
    assert says in str(caught.value)
