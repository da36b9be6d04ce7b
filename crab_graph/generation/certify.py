"""Certification (design §5): the number of solutions, counted three ways on the entity tables.

SQL aggregation, array elimination and a search read the same tables and share the declared
constraints, and nothing else. All must equal the closure of the seeds. The search is that of
python-constraint, as the paper's own (A.4); where it would be too much work, and to list the
solutions of a task that is being made, plain Python searches.

SQL counts by the same elimination as arrays do, as chained aggregating CTEs: a flat join of all
nodes explodes, while here every step groups by what later edges still need.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import Field

from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, LinearSum, Ref, split_sum
from crab_graph.generation.counting import EliminationCounter, narrowest_order
from crab_graph.generation.grouped_csp import count_by_csp
from crab_graph.generation.objects import Columns, rows, valid_rows
from crab_graph.generation.rivals import CheaperCount, Contest, ThreeCounts, compare
from crab_graph.generation.search import Row, Solution, search_solutions
from crab_graph.schema import FileModel

if TYPE_CHECKING:
    import duckdb


def count_sql(graph: ConstraintGraph, sources: Mapping[str, str]) -> str:
    """Return a query that counts the solutions of one task.

    For each node type, `sources` has a SELECT that yields one row an offer with a column a
    property; its parameters are those of the whole query.
    """
    edges, linear = split_sum(graph.edge_constraints)
    joins = _joins(graph, edges)
    steps = [f"{_quoted(name)} AS ({sql})" for name, sql in sources.items()]
    steps += [_profiles(graph, join.node, edges, linear) for join in joins]
    steps += [_seen(join) for join in joins]
    for join, after in reversed([*pairwise(joins)]):
        steps.append(_rest(join, after, is_last=after is joins[-1]))
    bound = 0 if linear is None else linear.bound
    steps += [_step(join, bound, is_last=join is joins[-1]) for join in joins]
    last = _quoted(f"s.{joins[-1].node}")
    return f"WITH {', '.join(steps)} SELECT coalesce(sum(w), 0)::BIGINT FROM {last}"  # noqa: S608


class _Join(NamedTuple):
    """A node joined to those before it: the edges it closes, and what edges to come still read."""

    previous: str
    node: str
    keep: tuple[Ref, ...]
    closed: tuple[Constraint, ...]

    def column(self, ref: Ref) -> str:
        """Return a property where the node's profiles are `p` and what stands before them `s`."""
        return f"{'p' if ref[0] == self.node else 's'}.{_column(ref)}"

    def source(self, before: str) -> str:
        """Return what the node's profiles are joined to: the steps `before` of the node before."""
        own = f"{_quoted('p.' + self.node)} AS p"
        if not self.previous:
            return own
        conditions = [edge.sql(self.column) for edge in self.closed]
        earlier = f"{_quoted(f'{before}.{self.previous}')} AS s"
        return f"{earlier} JOIN {own} ON {' AND '.join(conditions) or 'TRUE'}"

    def with_rest(self) -> str:
        """Return the join to what the rest costs at least, by what edges to come read."""
        same = [f"r.{_column(ref)} = {self.column(ref)}" for ref in self.keep]
        return f"JOIN {_quoted('r.' + self.node)} AS r ON {' AND '.join(same) or 'TRUE'}"


def _joins(graph: ConstraintGraph, edges: Sequence[Constraint]) -> list[_Join]:
    joins = []
    order = narrowest_order(graph.node_ids, edges)
    for position, node in enumerate(order):
        done, ahead = set(order[: position + 1]), set(order[position + 1 :])
        waiting = [edge for edge in edges if ahead & set(edge.nodes)]
        keep = tuple(dict.fromkeys(ref for edge in waiting for ref in edge.refs if ref[0] in done))
        closed = [edge for edge in edges if node in edge.nodes and not ahead & set(edge.nodes)]
        joins.append(_Join(order[position - 1] if position else "", node, keep, tuple(closed)))
    return joins


def _profiles(
    graph: ConstraintGraph, node: str, edges: Sequence[Constraint], linear: LinearSum | None
) -> str:
    """Group a node's valid offers by edge profile and cost."""
    names = dict.fromkeys(name for edge in edges for name in edge.properties_of(node))
    columns = [f"{_quoted(name)} AS {_column((node, name))}" for name in names]
    weights = linear.weights.items() if linear is not None else ()
    cost = [f"{weight} * {_quoted(name)}" for (owner, name), weight in weights if owner == node]
    columns.append(f"({' + '.join(cost) or '0'})::BIGINT AS cost")
    wishes = [item.sql(lambda ref: _quoted(ref[1])) for item in graph.node_constraints(node)]
    return (
        f"{_quoted('p.' + node)} AS MATERIALIZED (SELECT {', '.join(columns)}, count(*) AS w "  # noqa: S608
        f"FROM {_quoted(graph.type_of(node))} WHERE {' AND '.join(wishes) or 'TRUE'} GROUP BY ALL)"
    )


def _seen(join: _Join) -> str:
    """List what edges to come can read of partial solutions, whatever these cost."""
    keep = ", ".join(map(join.column, join.keep)) or "TRUE"
    return (
        f"{_quoted('f.' + join.node)} AS MATERIALIZED "  # noqa: S608
        f"(SELECT DISTINCT {keep} FROM {join.source('f')})"
    )


def _rest(join: _Join, after: _Join, *, is_last: bool) -> str:
    """Find out what the nodes after one cost at least, for all that edges to come can read."""
    keep = [f"s.{_column(ref)}" for ref in join.keep]
    cost, more = ("p.cost", "") if is_last else ("p.cost + r.rest", after.with_rest())
    select = ", ".join([*keep, f"min({cost}) AS rest"])
    return (
        f"{_quoted('r.' + join.node)} AS MATERIALIZED "  # noqa: S608
        f"(SELECT {select} FROM {after.source('f')} {more} GROUP BY ALL)"
    )


def _step(join: _Join, bound: int, *, is_last: bool) -> str:
    """Join a node's profiles to the partial solutions and sum away what no later edge needs.

    What cannot be completed within the bound is left out.
    """
    total, weight = ("s.total + p.cost", "s.w * p.w") if join.previous else ("p.cost", "p.w")
    select = [join.column(ref) for ref in join.keep]
    select += [f"{total} AS total", f"sum({weight}) AS w"]
    rest, more = ("0", "") if is_last else ("r.rest", join.with_rest())
    return (
        f"{_quoted('s.' + join.node)} AS MATERIALIZED "  # noqa: S608
        f"(SELECT {', '.join(select)} FROM {join.source('s')} {more} "
        f"WHERE {total} + {rest} <= {bound} GROUP BY ALL)"
    )


def _column(ref: Ref) -> str:
    return _quoted(f"{ref[0]}.{ref[1]}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


SEARCH_MARGIN = 1000
"""How many solutions beyond the expected number a search finds before it stops."""


class SearchedBy(StrEnum):
    """What did the third count: the solver the paper names, or the search that shares nothing."""

    CSP = "python-constraint"
    PLAIN = "plain search"


class Recovery(FileModel):
    """How many solutions are left once a fault has struck an offer, counted three ways.

    Attributes:
        fault: Number of the fault in the task's schedule, from 1.
        kind: What goes wrong.
        offer: The offer it strikes; `None` where the tables stay as they are.
        needed: How many there must be, or how few: none of those of an offer that it cannot strike.
        comparisons: That what is the cheaper still is.
    """

    fault: int
    kind: str
    offer: str | None
    sql: int
    arrays: int
    search: int
    needed: int
    comparisons: tuple[CheaperCount, ...] = Field((), exclude_if=lambda found: not found)

    @property
    def ok(self) -> bool:
        """Whether the counts agree, and there are as many as needed."""
        is_counted = self.sql == self.arrays == self.search >= self.needed
        return is_counted and all(one.ok for one in self.comparisons)


class Certificate(FileModel):
    """The closure of a task's seeds, and how many solutions three ways of counting found.

    A search stops at `expected` + `SEARCH_MARGIN`. Certificates of before there were two kinds of
    search were all made by the plain one. Of a task with faults it says what is left after each, of
    one that asks for the cheaper of some values that it is; where the user changes its mind
    `changed` is that of the request after it, counted again.
    """

    expected: int
    sql: int
    arrays: int
    search: int
    searched_by: SearchedBy = SearchedBy.PLAIN
    comparisons: tuple[CheaperCount, ...] = Field((), exclude_if=lambda found: not found)
    recoveries: tuple[Recovery, ...] = Field((), exclude_if=lambda found: not found)
    changed: "Certificate | None" = Field(None, exclude_if=lambda found: found is None)

    @property
    def ok(self) -> bool:
        """Whether all counts agree with what is expected."""
        is_counted = self.expected == self.sql == self.arrays == self.search
        is_counted = is_counted and (self.changed is None or self.changed.ok)
        is_counted = is_counted and all(one.ok for one in self.comparisons)
        return is_counted and all(one.ok for one in self.recoveries)

    def as_json(self) -> dict[str, Any]:
        """Return the counts in the form that `certify --json` prints."""
        return {**self.model_dump(mode="json"), "ok": self.ok}


class StoredTask(NamedTuple):
    """Where the offers of a task stand.

    For each node type, `sources` has a SELECT with the parameter `$task` that yields its offers.
    """

    connection: "duckdb.DuckDBPyConnection"
    graph: ConstraintGraph
    sources: Mapping[str, str]
    task_id: str

    def count_by_sql(self) -> int:
        """Return the number of solutions as the database counts them."""
        query = count_sql(self.graph, self.sources)
        counted = self.connection.execute(query, {"task": self.task_id}).fetchall()
        return int(counted[0][0])

    def offers(self) -> dict[str, Columns]:
        """Return the offers of each node type."""
        parameters = {"task": self.task_id}
        return {
            name: fetch_columns(self.connection, sql, parameters)
            for name, sql in self.sources.items()
        }

    def compared(self, offers: Mapping[str, Columns]) -> tuple[CheaperCount, ...]:
        """Return that what the graph takes for the cheaper is; `offers` are those of its types."""
        if not (self.graph.rivals or self.graph.lesser):
            return ()

        def count(graph: ConstraintGraph) -> ThreeCounts:
            other = self._replace(graph=graph)
            search, _ = _search(other, other.offered(offers), 0)
            return ThreeCounts(
                sql=other.count_by_sql(), arrays=count_offers(graph, offers), search=search
            )

        cents = Contest.of_types(self.graph, offers).least if self.graph.rivals else None
        return compare(self.graph, cents, count)

    def offered(self, offers: Mapping[str, Columns]) -> dict[str, list[Row]]:
        """Return the rows that each node's table offers, as plain values."""
        listed: dict[str, list[Row]] = {name: [*rows(own)] for name, own in offers.items()}
        return {node.id: listed[node.type] for node in self.graph.nodes}


def certify_tables(
    stored: StoredTask, offers: Mapping[str, Columns], expected: int
) -> tuple[Certificate, list[Solution]]:
    """Count the solutions of a task on its tables, and list those that the plain search found.

    `offers` are what `stored` offers, `expected` is the closure of the seeds.
    """
    rows_of = stored.offered(offers)
    solutions = search_solutions(stored.graph, rows_of, expected + SEARCH_MARGIN)
    arrays = count_offers(stored.graph, offers)
    counts = (expected, stored.count_by_sql(), arrays, len(solutions))
    return _certificate(*counts, SearchedBy.PLAIN, stored.compared(offers)), solutions


def recount(
    stored: StoredTask, offers: Mapping[str, Columns], certificate: Certificate
) -> Certificate:
    """Return the certificate with the third count done by python-constraint, where it can be."""
    found, by = _search(stored, stored.offered(offers), certificate.expected)
    return certificate.model_copy(update={"search": found, "searched_by": by})


def certify_again(stored: StoredTask, expected: int) -> Certificate:
    """Count the solutions of a finished task on its tables, three ways."""
    offers = stored.offers()
    found, by = _search(stored, stored.offered(offers), expected)
    arrays = count_offers(stored.graph, offers)
    compared = stored.compared(offers)
    return _certificate(expected, stored.count_by_sql(), arrays, found, by, compared)


def _search(
    stored: StoredTask, offered: Mapping[str, Sequence[Row]], expected: int
) -> tuple[int, SearchedBy]:
    limit = expected + SEARCH_MARGIN
    found = count_by_csp(stored.graph, offered, limit)
    if found is not None:
        return found, SearchedBy.CSP
    return len(search_solutions(stored.graph, offered, limit)), SearchedBy.PLAIN


def _certificate(
    expected: int,
    sql: int,
    arrays: int,
    search: int,
    searched_by: SearchedBy,
    comparisons: tuple[CheaperCount, ...],
) -> Certificate:
    counts = {"expected": expected, "sql": sql, "arrays": arrays, "search": search}
    return Certificate(**counts, searched_by=searched_by, comparisons=comparisons)


def count_offers(graph: ConstraintGraph, offers: Mapping[str, Columns]) -> int:
    """Return the number of solutions among offers of each node type, by array elimination."""
    objects = {node.id: offers[node.type] for node in graph.nodes}
    valid = {node: valid_rows(own, graph.node_constraints(node)) for node, own in objects.items()}
    return EliminationCounter(graph.node_ids, graph.edge_constraints, objects, valid).count(valid)


def fetch_columns(
    connection: "duckdb.DuckDBPyConnection", sql: str, parameters: Mapping[str, str]
) -> Columns:
    """Return what a query yields as columns."""
    fetched = connection.execute(sql, parameters).fetchnumpy()
    return {
        name: column.astype(np.int64) if column.dtype.kind == "i" else column
        for name, column in fetched.items()
    }
