"""SampleCSP of the paper on python-constraint, by both its strategies (A.4)."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from math import prod
from random import Random
from typing import Any, NamedTuple

import constraint as python_constraint

from crab_graph.errors import TooLargeToEnumerate
from crab_graph.generation.constraints import Constraint, Ref, Value
from crab_graph.generation.grouped_csp import (
    Alternatives,
    TooMuchWork,
    Work,
    count_solutions,
    pick_solutions,
    solve_rows,
)

ENUMERATION_LIMIT = 2_000_000
"""Largest number of combinations of node profiles of which SampleCSP enumerates all solutions."""

FEWEST_PROFILES = 8
"""Profiles that a node with more of them must keep for all combinations to be enumerated."""

FEWEST_SOLUTIONS = 10
"""Solutions there must be among the profiles that are kept."""

THINNINGS = 8
"""Draws of the profiles that are kept, until enough solutions are among them."""

Binding = dict[Ref, Value]
Domains = Mapping[Ref, Sequence[Value]]


class Sampling(StrEnum):
    """The two strategies of SampleCSP (footnote 2 of A.4)."""

    ENUMERATE = "enumerate"
    SHUFFLE = "shuffle"


class Link(NamedTuple):
    """Properties of one node that do not vary independently, with the tuples that exist."""

    refs: tuple[Ref, ...]
    tuples: frozenset[tuple[Value, ...]]

    def __call__(self, *values: Value) -> bool:
        """Return whether the properties can have these values together."""
        return values in self.tuples


def shuffled_bindings(
    domains: Domains,
    constraints: Sequence[Constraint],
    links: Sequence[Link],
    count: int,
    rng: Random,
) -> Iterator[Binding]:
    """Yield up to `count` solutions of a CSP over property values, drawn with replacement."""
    for _ in range(count):
        binding = sample_binding(domains, constraints, links, rng)
        if binding is None:
            return
        yield binding


def sample_binding(
    domains: Domains, constraints: Sequence[Constraint], links: Sequence[Link], rng: Random
) -> Binding | None:
    """Return one solution of a CSP over property values, or `None` where there is none.

    This is the second strategy of SampleCSP (`Sampling.SHUFFLE`): every domain is shuffled and the
    first solution taken. It is random but not uniform over the solutions: values that leave more
    room for the others come up more often.
    """
    if any(_is_out_of_reach(item, domains) for item in constraints):
        return None
    shuffled = {ref: rng.sample(list(values), len(values)) for ref, values in domains.items()}
    found: Mapping[Ref, Value] | None = _problem(shuffled, constraints, links).getSolution()
    return None if found is None else {ref: found[ref] for ref in domains}


def list_bindings(
    domains: Domains, constraints: Sequence[Constraint], links: Sequence[Link]
) -> list[Binding]:
    """Return all solutions of a CSP over property values."""
    if not all(domains.values()) or any(_is_out_of_reach(item, domains) for item in constraints):
        return []
    found: list[Binding] = _problem(domains, constraints, links).getSolutions()
    return found


def _problem(
    domains: Domains, constraints: Sequence[Constraint], links: Sequence[Link]
) -> python_constraint.Problem:
    problem = python_constraint.Problem(python_constraint.OptimizedBacktrackingSolver())
    for ref, values in domains.items():
        problem.addVariable(ref, list(values))
    for item in constraints:
        problem.addConstraint(_solver_constraint(item), list(item.refs))
    for link in links:
        problem.addConstraint(link, list(link.refs))
    return problem


def _is_out_of_reach(item: Constraint, domains: Domains) -> bool:
    """Whether a bounded sum exceeds its bound even at its least: backtracking is slow to notice."""
    if item.linear is None:
        return False
    terms = item.linear.weights.items()
    least = sum(min(weight * int(value) for value in domains[ref]) for ref, weight in terms)
    return least > item.linear.bound


def _solver_constraint(item: Constraint) -> Any:
    if item.linear is not None and all(weight >= 0 for weight in item.linear.weights.values()):
        weights = [item.linear.weights[ref] for ref in item.refs]
        return python_constraint.MaxSumConstraint(item.linear.bound, weights)
    return lambda *values: item.holds(dict(zip(item.refs, values, strict=True)))


def enumerated_bindings(
    shown: Mapping[str, Sequence[Binding]], edges: Sequence[Constraint], count: int, rng: Random
) -> Iterator[Binding]:
    """Yield up to `count` of all solutions over V, distinct and each as likely as any other.

    This is the first strategy of SampleCSP (`Sampling.ENUMERATE`). `shown` has the profiles of each
    node, which are what V and C_mini leave of its objects, as values of one variable. Where they
    combine to more than `ENUMERATION_LIMIT`, each node with the most keeps as many as fit, drawn at
    random, and drawn again where too few solutions are among these.

    Raises:
        TooLargeToEnumerate: fewer than `FEWEST_PROFILES` of a node would be left, finding all
            solutions is too much work, or what is left has too few.
    """
    largest = max(map(len, shown.values()))
    most = _kept_of_each([len(own) for own in shown.values()])
    for _ in range(THINNINGS):
        found = _solved({node: _thinned(own, most, rng) for node, own in shown.items()}, edges)
        total = count_solutions(found)
        if total >= FEWEST_SOLUTIONS or most == largest:
            break
    else:
        raise TooLargeToEnumerate
    for solution in pick_solutions(found, rng.sample(range(total), min(count, total))):
        yield {
            (node, name): value
            for node, row in zip(shown, solution, strict=True)
            for name, value in row.items()
        }


def _solved(
    shown: Mapping[str, Sequence[Binding]], edges: Sequence[Constraint]
) -> list[Alternatives]:
    rows = {
        node: [{name: value for (_, name), value in one.items()} for one in own]
        for node, own in shown.items()
    }
    try:
        return list(solve_rows(list(rows), edges, rows, Work()))
    except TooMuchWork:
        raise TooLargeToEnumerate from None


def _kept_of_each(sizes: Sequence[int]) -> int:
    """Return how many values each variable may keep for all combinations to be enumerated.

    Raises:
        TooLargeToEnumerate: it is too few of some.
    """
    most = largest = max(sizes)
    while prod(min(size, most) for size in sizes) > ENUMERATION_LIMIT:
        most -= 1
    if most < min(FEWEST_PROFILES, largest):
        raise TooLargeToEnumerate
    return most


def _thinned(values: Sequence[Binding], most: int, rng: Random) -> Sequence[Binding]:
    return values if len(values) <= most else rng.sample(values, most)
