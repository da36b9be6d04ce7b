"""The verifiers, one module for each matter they judge.

To add one, write a module here whose function is decorated with `@verifier(id, title, …)`; nothing
else has to be told. A constraint of tasks needs none: what a domain declares as a check is judged
by `trip`.
"""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from crab_graph.eval.checks import LETTERS
from crab_graph.eval.reading import TaskReading
from crab_graph.eval.verifier import Verifier
from crab_graph.eval.verifiers.trip import declared_verifiers


@cache
def shared_verifiers() -> tuple[Verifier, ...]:
    """Return the verifiers that every task is judged by, by part and id."""
    modules = [import_module(one.name) for one in iter_modules(__path__, f"{__name__}.")]
    held = (value for module in modules for value in vars(module).values())
    return _ordered({one.id: one for one in held if isinstance(one, Verifier)}.values())


def verifiers_of(reading: TaskReading) -> tuple[Verifier, ...]:
    """Return the verifiers that a task is judged by: those of every task, and its domain's."""
    return _ordered([*shared_verifiers(), *declared_verifiers(reading)])


def _ordered(verifiers: Iterable[Verifier]) -> tuple[Verifier, ...]:
    letters = list(LETTERS)
    return tuple(sorted(verifiers, key=lambda one: (letters.index(one.id[0]), one.id)))
