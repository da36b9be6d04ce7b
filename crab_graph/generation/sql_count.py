"""Counting solutions by SQL on the entity tables: the same elimination as chained aggregating CTEs.

A flat join of all nodes explodes; here every step groups by what later edges still need.
"""

from collections.abc import Mapping, Sequence

from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, LinearSum, Ref
from crab_graph.generation.counting import elimination_order


def count_sql(graph: ConstraintGraph, sources: Mapping[str, str]) -> str:
    """Return a query that counts the solutions of one task.

    Args:
        graph: The task graph, as declared.
        sources: For each node type, a SELECT that yields one row an offer with a column a property.
            Its parameters are those of the whole query.
    """
    sums = [edge for edge in graph.edge_constraints if edge.linear is not None]
    linear = sums[0].linear if sums else None
    edges = [edge for edge in graph.edge_constraints if not sums or edge is not sums[0]]
    order = elimination_order(graph.node_ids, edges)
    steps = [f"{_quoted(name)} AS ({sql})" for name, sql in sources.items()]
    previous = ""
    for position, node in enumerate(order):
        steps.append(_profiles(graph, node, edges, linear))
        done, ahead = set(order[: position + 1]), set(order[position + 1 :])
        waiting = [edge for edge in edges if ahead & set(edge.nodes)]
        keep = list(dict.fromkeys(ref for edge in waiting for ref in edge.refs if ref[0] in done))
        closed = [edge for edge in edges if node in edge.nodes and not ahead & set(edge.nodes)]
        steps.append(_step(previous, node, keep, closed, linear))
        previous = node
    last = _quoted(f"s.{previous}")
    return f"WITH {', '.join(steps)} SELECT coalesce(sum(w), 0)::BIGINT FROM {last}"  # noqa: S608


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


def _step(
    previous: str,
    node: str,
    keep: Sequence[Ref],
    closed: Sequence[Constraint],
    linear: LinearSum | None,
) -> str:
    """Join a node's profiles to the partial solutions and sum away what no later edge needs."""
    columns = [_column(ref) for ref in keep]
    profiles = f"{_quoted('p.' + node)} AS p"
    if not previous:
        select = [*columns, "cost AS total", "w"]
        return (
            f"{_quoted('s.' + node)} AS MATERIALIZED (SELECT {', '.join(select)} FROM {profiles})"  # noqa: S608
        )
    conditions = [edge.sql(_column) for edge in closed]
    if linear is not None and all(weight >= 0 for weight in linear.weights.values()):
        conditions.append(f"s.total + p.cost <= {linear.bound}")
    select = [*columns, "s.total + p.cost AS total", "sum(s.w * p.w) AS w"]
    return (
        f"{_quoted('s.' + node)} AS MATERIALIZED (SELECT {', '.join(select)} "  # noqa: S608
        f"FROM {_quoted('s.' + previous)} AS s JOIN {profiles} "
        f"ON {' AND '.join(conditions) or 'TRUE'} "
        "GROUP BY ALL)"
    )


def _column(ref: Ref) -> str:
    return _quoted(f"{ref[0]}.{ref[1]}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
