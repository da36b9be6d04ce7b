"""Small random constraint graphs with their objects, and brute force over them."""

from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from crab_graph.generation.constraint_graph import ConstraintGraph, Node
from crab_graph.generation.constraints import (
    Constraint,
    at_least,
    bounded_sum,
    equals,
    within,
)

NODES = (Node("a", "thing"), Node("b", "thing"), Node("c", "other"))


def shifted(first: Any, second: Any, by: Any) -> Any:
    return second == first + by


def between(low: Any, middle: Any, high: Any) -> Any:
    return (low <= middle) & (middle <= high)


@st.composite
def instances(draw: st.DrawFn) -> tuple[ConstraintGraph, dict[str, list[dict[str, Any]]]]:
    """A graph of three nodes, two of which share a table, and rows for each table."""
    small = st.integers(0, 4)
    row = st.fixed_dictionaries(
        {"x": small, "y": small, "price": small, "kind": st.sampled_from("pq")}
    )
    rows = {name: draw(st.lists(row, min_size=1, max_size=7)) for name in ("thing", "other")}
    choices = [
        Constraint("shift", (("a", "x"), ("b", "x")), shifted, {"by": draw(st.integers(-1, 2))}),
        Constraint("span", (("a", "y"), ("c", "y"), ("b", "y")), between),
        Constraint("alike", (("b", "kind"), ("c", "kind")), equals),
        bounded_sum(
            "sum",
            {("a", "price"): 2, ("b", "price"): 1, ("c", "price"): 3},
            draw(st.integers(0, 20)),
            "",
        ),
        Constraint("a_kind", (("a", "kind"),), equals, {"required": "p"}),
        Constraint("c_x", (("c", "x"),), at_least, {"minimum": draw(small)}),
        Constraint("b_y", (("b", "y"),), within, {"first": 1, "last": draw(small)}),
    ]
    used = [item for item in choices if draw(st.booleans())]
    return ConstraintGraph(NODES, tuple(used)), rows


def brute_force(
    graph: ConstraintGraph, rows: dict[str, list[dict[str, Any]]]
) -> list[tuple[int, ...]]:
    """Positions of the rows of every solution, node by node."""
    found = []
    sizes = [range(len(rows[node.type])) for node in graph.nodes]
    for combination in product(*sizes):
        values = {
            (node.id, name): value
            for node, position in zip(graph.nodes, combination, strict=True)
            for name, value in rows[node.type][position].items()
        }
        if all(item.holds(values) for item in graph.constraints):
            found.append(combination)
    return found


def as_columns(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
