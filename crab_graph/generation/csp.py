"""The only module that speaks to python-constraint (SampleCSP, paper A.4)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from random import Random
from typing import Any

import constraint as python_constraint

from crab_graph.errors import UsageError
from crab_graph.generation.constraints import Constraint, Ref, Value

ENUMERATION_LIMIT = 2_000_000
"""Largest product of variable domains of which SampleCSP will enumerate all solutions."""

Binding = dict[Ref, Value]
Domains = Mapping[Ref, Sequence[Value]]


class Sampling(StrEnum):
    """The two strategies of SampleCSP (footnote 2 of A.4)."""

    ENUMERATE = "enumerate"
    SHUFFLE = "shuffle"


@dataclass(frozen=True, slots=True)
class Link:
    """Properties of one node that do not vary independently, with the tuples that exist."""

    refs: tuple[Ref, ...]
    tuples: frozenset[tuple[Value, ...]]


def sample_csp(
    domains: Domains,
    constraints: Sequence[Constraint],
    links: Sequence[Link],
    count: int,
    rng: Random,
    strategy: Sampling,
) -> Iterator[Binding]:
    """Yield up to `count` randomly sampled solutions: SampleCSP(V, C', k).

    `ENUMERATE` lists all solutions and draws distinct ones, uniformly. `SHUFFLE` draws with
    replacement; see `sample_binding`.

    Raises:
        UsageError: there are too many combinations of values to enumerate.
    """
    if strategy is Sampling.ENUMERATE:
        size = prod(len(values) for values in domains.values())
        if size > ENUMERATION_LIMIT:
            raise UsageError(
                f"SampleCSP will not enumerate {size:,} combinations of values, more than "
                f"{ENUMERATION_LIMIT:,}; use the sampling strategy '{Sampling.SHUFFLE}'"
            )
        found = list_bindings(domains, constraints, links)
        yield from rng.sample(found, min(count, len(found)))
        return
    for _ in range(count):
        binding = sample_binding(domains, constraints, links, rng)
        if binding is None:
            return
        yield binding


def sample_binding(
    domains: Domains, constraints: Sequence[Constraint], links: Sequence[Link], rng: Random
) -> Binding | None:
    """Return one solution of a CSP over property values, or `None` where there is none.

    This is the second strategy of SampleCSP: every domain is shuffled and the first solution
    taken. It is random but not uniform over the solutions: values that leave more room for the
    others come up more often.
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
        problem.addConstraint(_membership(link), list(link.refs))
    return problem


def _is_out_of_reach(item: Constraint, domains: Domains) -> bool:
    """Whether a bounded sum exceeds its bound even at its least: backtracking is slow to notice."""
    if item.linear is None:
        return False
    least = sum(
        min(weight * int(value) for value in domains[ref])
        for ref, weight in item.linear.weights.items()
    )
    return least > item.linear.bound


def _solver_constraint(item: Constraint) -> Any:
    if item.linear is not None and all(weight >= 0 for weight in item.linear.weights.values()):
        weights = [item.linear.weights[ref] for ref in item.refs]
        return python_constraint.MaxSumConstraint(item.linear.bound, weights)
    refs = item.refs

    def predicate(*values: Value) -> bool:
        return item.holds(dict(zip(refs, values, strict=True)))

    return python_constraint.FunctionConstraint(predicate)


def _membership(link: Link) -> Callable[..., bool]:
    tuples = link.tuples
    return lambda *values: values in tuples
