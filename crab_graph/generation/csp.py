"""The only module that speaks to python-constraint (SampleCSP, paper A.4)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import constraint as python_constraint

from crab_graph.generation.constraints import Constraint, Ref, Value

Binding = dict[Ref, Value]


@dataclass(frozen=True, slots=True)
class Link:
    """Properties of one node that do not vary independently, with the tuples that exist."""

    refs: tuple[Ref, ...]
    tuples: frozenset[tuple[Value, ...]]


def sample_binding(
    domains: Mapping[Ref, Sequence[Value]],
    constraints: Sequence[Constraint],
    links: Sequence[Link],
    rng: Random,
) -> Binding | None:
    """Return one solution of a CSP over property values, or `None` where there is none.

    This is the second strategy of SampleCSP: every domain is shuffled and the first solution
    taken. It is random but not uniform over the solutions: values that leave more room for the
    others come up more often.
    """
    if any(_is_out_of_reach(item, domains) for item in constraints):
        return None
    problem = python_constraint.Problem(python_constraint.OptimizedBacktrackingSolver())
    for ref, values in domains.items():
        problem.addVariable(ref, rng.sample(list(values), len(values)))
    for item in constraints:
        problem.addConstraint(_solver_constraint(item), list(item.refs))
    for link in links:
        problem.addConstraint(_membership(link.tuples), list(link.refs))
    found: Mapping[Ref, Value] | None = problem.getSolution()
    return None if found is None else {ref: found[ref] for ref in domains}


def _is_out_of_reach(item: Constraint, domains: Mapping[Ref, Sequence[Value]]) -> bool:
    """Whether a bounded sum exceeds its bound even at its least: backtracking is slow to notice."""
    if item.linear is None:
        return False
    least = sum(
        min(weight * int(value) for value in domains[ref])
        for ref, weight in item.linear.weights.items()
    )
    return least > item.linear.bound


def _solver_constraint(item: Constraint) -> Any:
    if item.linear is not None:
        weights = [item.linear.weights[ref] for ref in item.refs]
        return python_constraint.MaxSumConstraint(item.linear.bound, weights)
    refs = item.refs

    def predicate(*values: Value) -> bool:
        return item.holds(dict(zip(refs, values, strict=True)))

    return python_constraint.FunctionConstraint(predicate)


def _membership(tuples: frozenset[tuple[Value, ...]]) -> Callable[..., bool]:
    return lambda *values: values in tuples
