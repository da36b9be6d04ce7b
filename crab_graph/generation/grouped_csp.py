"""Constraint satisfaction over rows, solved by python-constraint (section 3.2.2, A.4 SampleCSP).

Each node is one variable. Its values are not the rows but groups of them, alike in all that the
plain edge constraints read: a solution of the groups stands for every choice of a row from each. A
bounded sum cuts a branch as soon as its cheapest completion exceeds it, and within a solution of
groups the rows are told apart by what they cost, for a second, small problem with the rest of the
bound (`MaxSumConstraint`).
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import prod
from typing import Any

import constraint as python_constraint
import numpy as np
from numpy.typing import NDArray

from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, LinearSum, Ref, Value, split_sum

WORK_LIMIT = 1_000_000
"""Groups tried out, over all branches, after which a problem counts as too much work.

It is a number and not a time, so that every machine gives up on the same problems.
"""

COUNT_LIMIT = 300_000
"""The same of a count, which plain search does as well."""

TRIED_AT_ONCE = 250_000
"""Up to so many combinations of groups are tried with an edge at once, rather than as they come."""

Row = Mapping[str, Any]

Alternatives = tuple[Sequence[Row], ...]
"""Rows of each node, any of which form a solution with any of the others."""

_Group = list[tuple[int, Row]]
"""Rows of a node that look alike to the plain edges, with their costs, cheapest first."""


class TooMuchWork(Exception):
    """A problem was given up; it says nothing of whether there are solutions."""


class Work:
    """How many groups may still be tried out, in one problem or in several."""

    def __init__(self, limit: int | None = None) -> None:
        self.left = WORK_LIMIT if limit is None else limit

    def spend(self) -> None:
        """Note that one more is tried.

        Raises:
            TooMuchWork: that is one too many.
        """
        self.left -= 1
        if self.left < 0:
            raise TooMuchWork


def count_by_csp(
    graph: ConstraintGraph, rows: Mapping[str, Sequence[Row]], limit: int
) -> int | None:
    """Return the number of solutions among the rows, at most `limit`; `None` if it is much work.

    Of each node, `rows` has every one its table offers, valid or not.
    """
    valid = {node: _node_valid(graph.node_constraints(node), node, rows[node]) for node in rows}
    count = 0
    try:
        work = Work(COUNT_LIMIT)
        for alternatives in solve_rows(graph.node_ids, graph.edge_constraints, valid, work):
            count += count_solutions([alternatives])
            if count >= limit:
                return limit
    except TooMuchWork:
        return None
    return count


def solve_rows(
    nodes: Sequence[str],
    edges: Sequence[Constraint],
    rows: Mapping[str, Sequence[Row]],
    work: Work,
) -> Iterator[Alternatives]:
    """Yield every solution among node-valid rows once, those that cost the same together.

    Raises:
        TooMuchWork: the work that may be done is done.
    """
    if not all(rows[node] for node in nodes):
        return
    plain, linear = split_sum(edges)
    groups = {node: _grouped(node, plain, linear, rows[node]) for node in nodes}
    problem = _problem({node: range(len(own)) for node, own in groups.items()})
    least = {node: [group[0][0] for group in own] for node, own in groups.items()}
    bound = linear.bound if linear is not None else 0  # then no row costs anything
    problem.addConstraint(_Cheapest(least, bound, work), list(nodes))
    for edge in plain:
        problem.addConstraint(_over_groups(edge, groups), list(edge.nodes))
    for found in problem.getSolutionIter():
        chosen = [groups[node][found[node]] for node in nodes]
        if linear is None:
            yield tuple([row for _, row in group] for group in chosen)
            continue
        for alternatives in _within_bound(chosen, linear.bound):
            work.spend()
            yield alternatives


def count_solutions(found: Iterable[Alternatives]) -> int:
    """Return how many solutions alternatives stand for."""
    return sum(prod(map(len, alternatives)) for alternatives in found)


def pick_solutions(
    found: Sequence[Alternatives], numbers: Iterable[int]
) -> Iterator[tuple[Row, ...]]:
    """Yield the solutions of some numbers, counted through all that alternatives stand for."""
    ends = list(accumulate(prod(map(len, alternatives)) for alternatives in found))
    for number in numbers:
        which = bisect_right(ends, number)
        rest = number - (ends[which - 1] if which else 0)
        solution: list[Row] = []
        for own in found[which]:
            rest, place = divmod(rest, len(own))
            solution.append(own[place])
        yield tuple(solution)


def _problem(domains: Mapping[Any, Sequence[Any]]) -> python_constraint.Problem:
    # Looking ahead costs more than it saves where domains are groups.
    solver = python_constraint.OptimizedBacktrackingSolver(forwardcheck=False)
    problem = python_constraint.Problem(solver)
    for variable, values in domains.items():
        problem.addVariable(variable, list(values))
    return problem


def _node_valid(wishes: Sequence[Constraint], node: str, rows: Sequence[Row]) -> list[Row]:
    """Return the rows that satisfy a node's constraints: one variable, all constraints unary."""
    names = list(dict.fromkeys(name for wish in wishes for name in wish.properties_of(node)))
    alike: dict[tuple[Value, ...], list[Row]] = {}
    for row in rows:
        alike.setdefault(tuple([row[name] for name in names]), []).append(row)
    if not alike:
        return []
    problem = _problem({node: list(alike)})
    for wish in wishes:
        problem.addConstraint(_over_values(wish, node, names), [node])
    return [row for found in problem.getSolutions() for row in alike[found[node]]]


def _over_values(wish: Constraint, node: str, names: Sequence[str]) -> Callable[..., bool]:
    places = {(node, name): names.index(name) for name in wish.properties_of(node)}
    known: dict[tuple[Value, ...], bool] = {}

    def holds(values: tuple[Value, ...]) -> bool:
        key = tuple([values[place] for place in places.values()])
        if key not in known:
            known[key] = wish.holds(dict(zip(places, key, strict=True)))
        return known[key]

    return holds


def _grouped(
    node: str, plain: Sequence[Constraint], linear: LinearSum | None, rows: Sequence[Row]
) -> list[_Group]:
    names = list(dict.fromkeys(name for edge in plain for name in edge.properties_of(node)))
    weights = linear.weights.items() if linear is not None else ()
    weighed = [(name, weight) for (owner, name), weight in weights if owner == node]
    groups: dict[tuple[Value, ...], _Group] = {}
    for row in rows:
        cost = sum(weight * int(row[name]) for name, weight in weighed)
        groups.setdefault(tuple([row[name] for name in names]), []).append((cost, row))
    return [sorted(group, key=lambda item: item[0]) for group in groups.values()]


def _over_groups(edge: Constraint, groups: Mapping[str, Sequence[_Group]]) -> Callable[..., bool]:
    """State an edge constraint over the numbers of groups, each profile tried out once."""
    refs: list[Ref] = []
    profiles: list[list[tuple[Value, ...]]] = []
    for node in edge.nodes:
        names = edge.properties_of(node)
        refs += [(node, name) for name in names]
        profiles.append([tuple([group[0][1][name] for name in names]) for group in groups[node]])
    if prod(map(len, profiles)) <= TRIED_AT_ONCE:
        return _tried_out(edge, refs, profiles)
    known: dict[tuple[tuple[Value, ...], ...], bool] = {}

    def holds(*numbers: int) -> bool:
        key = tuple([own[number] for own, number in zip(profiles, numbers, strict=True)])
        if key not in known:
            values = [value for profile in key for value in profile]
            known[key] = edge.holds(dict(zip(refs, values, strict=True)))
        return known[key]

    return holds


def _tried_out(
    edge: Constraint, refs: Sequence[Ref], profiles: Sequence[Sequence[tuple[Value, ...]]]
) -> Callable[..., bool]:
    """Try an edge out on all combinations of profiles, and state it over their numbers."""
    columns: list[NDArray[Any]] = []
    places: list[list[int]] = []
    for axis, own in enumerate(profiles):
        distinct = {profile: place for place, profile in enumerate(dict.fromkeys(own))}
        places.append([distinct[profile] for profile in own])
        shape = [-1 if other == axis else 1 for other in range(len(profiles))]
        columns += [np.array(values).reshape(shape) for values in zip(*distinct, strict=True)]
    answer = edge.evaluate(dict(zip(refs, columns, strict=True)).__getitem__)
    sizes = [max(own) + 1 for own in places]
    truth = np.broadcast_to(np.asarray(answer, dtype=np.bool_), sizes)[np.ix_(*places)]
    holds: Callable[..., bool] = truth.item
    return holds


class _Cheapest(python_constraint.Constraint):  # type: ignore[misc]  # the library has no types
    """Notes each group that is tried, and bounds the sum by its cheapest completion."""

    def __init__(self, least: Mapping[str, Sequence[int]], bound: int, work: Work) -> None:
        """Prepare for groups of which each node's cheapest rows cost `least`."""
        cheapest = {node: min(own) for node, own in least.items()}
        self.room = bound - sum(cheapest.values())
        self.above = {node: [one - cheapest[node] for one in own] for node, own in least.items()}
        self.work = work

    def __call__(
        self,
        variables: Sequence[str],
        domains: Mapping[str, Sequence[int]],
        assignments: Mapping[str, int],
        forwardcheck: Any = False,
    ) -> bool:
        self.work.spend()
        room = self.room
        for node, number in assignments.items():
            room -= self.above[node][number]
        return room >= 0


def _within_bound(groups: Sequence[_Group], bound: int) -> Iterator[Alternatives]:
    """Yield rows of each group by what they cost, such that the sum is in bounds.

    The cheapest rows of the groups are.
    """
    if all(group[0][0] == group[-1][0] for group in groups):
        yield tuple([row for _, row in group] for group in groups)
        return
    priced: list[dict[int, list[Row]]] = []
    for group in groups:
        # What a row costs above the cheapest one, which is never negative.
        alike: dict[int, list[Row]] = {}
        for cost, row in group:
            alike.setdefault(cost - group[0][0], []).append(row)
        priced.append(alike)
    room = bound - sum(group[0][0] for group in groups)
    problem = _problem(dict(enumerate(map(list, priced))))
    problem.addConstraint(python_constraint.MaxSumConstraint(room), list(range(len(groups))))
    for found in problem.getSolutionIter():
        yield tuple(own[found[place]] for place, own in enumerate(priced))
