"""Certification (design §5): the number of solutions, counted three ways on the entity tables.

SQL aggregation, array elimination and plain search read the same tables and share the declared
constraints, and nothing else. All must equal the closure of the seeds.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.counting import EliminationCounter
from crab_graph.generation.objects import Columns, length, rows, take, valid_rows
from crab_graph.generation.search import Solution, search_solutions
from crab_graph.generation.sql_count import count_sql
from crab_graph.schema import FileModel

if TYPE_CHECKING:
    import duckdb

SEARCH_MARGIN = 1000
"""How many solutions beyond the expected number the plain search lists before it stops."""


class Certificate(FileModel):
    """The number of solutions a task must have, and what three ways of counting found.

    Attributes:
        expected: The closure of the seeds.
        sql: Count by SQL aggregation.
        arrays: Count by array elimination.
        search: Count by plain search, stopped at `expected` + `SEARCH_MARGIN`.
    """

    expected: int
    sql: int
    arrays: int
    search: int

    @property
    def ok(self) -> bool:
        """Whether all counts agree with what is expected."""
        return self.expected == self.sql == self.arrays == self.search

    def as_json(self) -> dict[str, Any]:
        """Return the counts in the form that `certify --json` prints."""
        return {**self.model_dump(), "ok": self.ok}


def certify_tables(
    connection: "duckdb.DuckDBPyConnection",
    graph: ConstraintGraph,
    sources: Mapping[str, str],
    task_id: str,
    expected: int,
) -> tuple[Certificate, list[Solution]]:
    """Count the solutions of a task on its tables.

    Args:
        connection: A connection that sees the tables.
        graph: The task graph, as declared.
        sources: For each node type, a SELECT with the parameter `$task` that yields its offers.
        task_id: The task.
        expected: Closure of the seeds.

    Returns:
        The certificate, and the solutions the plain search found.
    """
    parameters = {"task": task_id}
    counted = connection.execute(count_sql(graph, sources), parameters).fetchall()[0][0]
    offers = {name: fetch_columns(connection, sql, parameters) for name, sql in sources.items()}
    listed = {name: rows(columns) for name, columns in offers.items()}
    solutions = search_solutions(
        graph,
        {node.id: listed[node.type] for node in graph.nodes},
        expected + SEARCH_MARGIN,
    )
    certificate = Certificate(
        expected=expected,
        sql=int(counted),
        arrays=count_offers(graph, offers),
        search=len(solutions),
    )
    return certificate, solutions


def count_offers(graph: ConstraintGraph, offers: Mapping[str, Columns]) -> int:
    """Return the number of solutions among offers of each node type, by array elimination."""
    objects: dict[str, Columns] = {}
    for node in graph.nodes:
        own = offers[node.type]
        objects[node.id] = take(own, valid_rows(own, graph.node_constraints(node.id)))
    everything = {node: np.arange(length(own)) for node, own in objects.items()}
    counter = EliminationCounter(graph.node_ids, graph.edge_constraints, objects)
    return counter.count(everything)


def fetch_columns(
    connection: "duckdb.DuckDBPyConnection", sql: str, parameters: Mapping[str, str]
) -> Columns:
    """Return what a query yields as columns."""
    fetched = connection.execute(sql, parameters).fetchnumpy()
    return {
        name: column.astype(np.int64) if column.dtype.kind == "i" else column
        for name, column in fetched.items()
    }
