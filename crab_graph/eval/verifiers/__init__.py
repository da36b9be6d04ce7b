"""The verifiers, one module for each matter they judge.

To add one, write a module here whose function is decorated with `@verifier(id, role, title, …)`;
nothing else has to be told. A constraint of tasks needs none: what a domain declares as a check is
judged by `job`.
"""

from collections import Counter
from collections.abc import Container, Iterable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from crab_graph.domain.verification import Part, Role
from crab_graph.errors import UsageError
from crab_graph.eval.reading import TaskReading
from crab_graph.eval.verifier import Verifier
from crab_graph.eval.verifiers.job import declared_verifiers


@cache
def shared_verifiers() -> tuple[Verifier, ...]:
    """Return the verifiers that tasks of every domain are judged by, by role and id.

    Raises:
        UsageError: two of them have one id.
    """
    modules = [import_module(one.name) for one in iter_modules(__path__, f"{__name__}.")]
    held = (value for module in modules for value in vars(module).values())
    found = {id(one): one for one in held if isinstance(one, Verifier)}.values()
    return _ordered(sorted(found, key=lambda one: one.id))


def verifiers_of(reading: TaskReading) -> tuple[Verifier, ...]:
    """Return the verifiers that a task is judged by, by role: those of all tasks, and its domain's.

    Where nothing has a price nobody pays, and nothing is told of what is to be paid; of what the
    world broke something is told where it breaks anything.

    Raises:
        UsageError: the domain gives a check the label of one of the rulebook's own.
    """
    shared = shared_verifiers()
    if reading.is_free:
        shared = tuple(one for one in shared if one.role not in _OF_MONEY)
    if not reading.task.spec.faults:
        shared = tuple(one for one in shared if one.role is not Role.MISHAP_TOLD)
    return _ordered([*shared, *declared_verifiers(reading)])


_OF_MONEY = frozenset(
    {
        Role.PAID,
        Role.METHOD,
        Role.CHARGE_APPROVED,
        Role.AMOUNT,
        Role.TOTAL_TOLD,
        Role.SUMMARY_TOLD,
        Role.PRICE_TOLD,
    }
)


def ids_of(reading: TaskReading, checks: Container[str]) -> frozenset[str]:
    """Return the ids of a task's checks that are named by their ids or by their roles."""
    named = (one for one in verifiers_of(reading) if one.id in checks or one.role in checks)
    return frozenset(one.id for one in named)


def part_of_check(check_id: str) -> Part:
    """Return the part of the verdict that a check belongs to; those of domains are concrete."""
    return _shared_parts().get(check_id, Part.CONCRETE)


@cache
def _shared_parts() -> dict[str, Part]:
    return {one.id: one.role.part for one in shared_verifiers()}


def _ordered(verifiers: Iterable[Verifier]) -> tuple[Verifier, ...]:
    """Return verifiers by role; the order in which they are given holds among those of one."""
    order, ordered = list(Role).index, list(verifiers)
    for check, times in Counter(one.id for one in ordered).items():
        if times > 1:
            raise UsageError(f"two checks have the label '{check}'; one of them needs another")
    return tuple(sorted(ordered, key=lambda one: order(one.role)))
