from itertools import pairwise

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings

from crab_graph.generation import grouped_csp
from crab_graph.generation.certify import count_offers, count_sql
from crab_graph.generation.constraint_graph import ConstraintGraph, Node
from crab_graph.generation.constraints import Constraint, at_most
from crab_graph.generation.counting import EliminationCounter
from crab_graph.generation.grouped_csp import count_by_csp
from crab_graph.generation.search import search_solutions

from .instances import as_columns, brute_force, instances


@given(instances())
def test_elimination_counts_what_brute_force_counts(instance):
    graph, rows = instance
    offers = {name: as_columns(own) for name, own in rows.items()}
    assert count_offers(graph, offers) == len(brute_force(graph, rows))


@given(instances())
def test_elimination_counts_what_breaks_one_constraint_alone(instance):
    graph, rows = instance
    offers = {name: as_columns(own) for name, own in rows.items()}
    for broken in graph.edge_constraints:
        others = tuple(item for item in graph.constraints if item is not broken)
        near = ConstraintGraph(graph.nodes, (*others, broken.negated()))
        assert count_offers(near, offers) == len(brute_force(near, rows))


@given(instances())
def test_search_lists_what_brute_force_lists(instance):
    graph, rows = instance
    numbered = {
        name: [{**row, "at": position} for position, row in enumerate(own)]
        for name, own in rows.items()
    }
    found = search_solutions(graph, {node.id: numbered[node.type] for node in graph.nodes}, 10_000)
    positions = sorted(tuple(one[node]["at"] for node in graph.node_ids) for one in found)
    assert positions == brute_force(graph, rows)


def test_search_finds_out_once_what_completes_branches_that_look_alike():
    # There are two thousand million rising rows, none of which ends as it must.
    nodes = tuple(Node(f"n{number:02}", "thing") for number in range(9))
    steps = [
        Constraint(f"step {one.id}", ((one.id, "x"), (other.id, "x")), at_most)
        for one, other in pairwise(nodes)
    ]
    refs = ((nodes[-1].id, "x"), (nodes[0].id, "x"))
    ends = Constraint("end", refs, lambda last, first: last < first)
    graph = ConstraintGraph(nodes, (*steps, ends))
    rows = {one.id: [{"x": number} for number in range(40)] for one in nodes}
    assert search_solutions(graph, rows, 1) == []


@given(instances())
def test_search_stops_at_its_limit(instance):
    graph, rows = instance
    found = search_solutions(graph, {node.id: rows[node.type] for node in graph.nodes}, 2)
    assert len(found) == min(2, len(brute_force(graph, rows)))


@given(instances())
def test_the_solver_counts_what_brute_force_counts_up_to_its_limit(instance):
    graph, rows = instance
    offered = {node.id: rows[node.type] for node in graph.nodes}
    there_are = len(brute_force(graph, rows))
    assert count_by_csp(graph, offered, 10_000) == there_are
    assert count_by_csp(graph, offered, 2) == min(2, there_are)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouped_csp, "TRIED_AT_ONCE", 0)
        assert count_by_csp(graph, offered, 10_000) == there_are


@given(instances())
def test_the_solver_gives_up_after_a_number_of_groups_and_not_after_a_time(instance):
    graph, rows = instance
    offered = {node.id: rows[node.type] for node in graph.nodes}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouped_csp, "WORK_LIMIT", 3)
        found = {count_by_csp(graph, offered, 10_000) for _ in range(2)}
    assert found in ({None}, {len(brute_force(graph, rows))})


@settings(max_examples=40)
@given(instances())
def test_sql_counts_what_brute_force_counts(instance):
    graph, rows = instance
    sources = {name: f"SELECT * FROM {name} WHERE $task = 'T'" for name in rows}
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        for name, own in rows.items():
            connection.execute(f"CREATE TABLE {name} (x INT, y INT, price INT, kind VARCHAR)")
            columns = [[row[key] for row in own] for key in ("x", "y", "price", "kind")]
            connection.execute(
                f"INSERT INTO {name} SELECT unnest(?), unnest(?), unnest(?), unnest(?)", columns
            )
        counted = connection.execute(count_sql(graph, sources), {"task": "T"}).fetchall()
    assert counted == [(len(brute_force(graph, rows)),)]


@given(instances())
def test_has_solution_is_true_exactly_for_objects_of_solutions(instance):
    graph, rows = instance
    solutions = brute_force(graph, rows)
    objects = {node.id: as_columns(rows[node.type]) for node in graph.nodes}
    counter = EliminationCounter(graph.node_ids, graph.edge_constraints, objects)
    valid = valid_positions(graph, rows)
    for axis, node in enumerate(graph.node_ids):
        in_solution = counter.has_solution(node, valid[node], valid)
        assert valid[node][in_solution].tolist() == sorted({one[axis] for one in solutions})


@given(instances())
def test_the_cheapest_solution_is_one_and_costs_the_least(instance):
    graph, rows = instance
    objects = {node.id: as_columns(rows[node.type]) for node in graph.nodes}
    counter = EliminationCounter(graph.node_ids, graph.edge_constraints, objects)
    found = counter.cheapest(valid_positions(graph, rows))
    solutions = brute_force(graph, rows)
    if not solutions:
        assert found is None
        return
    weights = {} if counter.sum is None else counter.sum.weights

    def cost(positions):
        at = dict(zip(graph.node_ids, positions, strict=True))
        types = {node.id: node.type for node in graph.nodes}
        return sum(
            weight * rows[types[node]][at[node]][name] for (node, name), weight in weights.items()
        )

    assert found is not None
    chosen = tuple(found[node] for node in graph.node_ids)
    assert chosen in solutions
    assert cost(chosen) == min(map(cost, solutions))


def valid_positions(graph, rows):
    """Return the positions of the rows that satisfy the constraints of each node."""
    return {
        node.id: np.array(
            [
                position
                for position, row in enumerate(rows[node.type])
                if all(
                    item.holds({(node.id, name): value for name, value in row.items()})
                    for item in graph.node_constraints(node.id)
                )
            ],
            dtype=np.int64,
        )
        for node in graph.nodes
    }
