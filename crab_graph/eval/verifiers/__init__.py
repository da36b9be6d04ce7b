"""The verifiers, one module for each matter they judge.

To add one, write a module here with a tuple `VERIFIERS`; nothing else has to be told. A constraint
of tasks needs none: what a domain declares as a check is judged by `trip`.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from crab_graph.eval.checks import LETTERS
from crab_graph.eval.reading import TaskReading
from crab_graph.eval.verifier import Verifier
from crab_graph.eval.verifiers.trip import declared_verifiers

_LETTERS = "".join(LETTERS)


@cache
def shared_verifiers() -> tuple[Verifier, ...]:
    """Return the verifiers that every task is judged by, by part and id."""
    names = sorted(module.name for module in iter_modules(__path__, f"{__name__}."))
    return _ordered([one for name in names for one in import_module(name).VERIFIERS])


def verifiers_of(reading: TaskReading) -> tuple[Verifier, ...]:
    """Return the verifiers that a task is judged by: those of every task, and its domain's."""
    return _ordered([*shared_verifiers(), *declared_verifiers(reading)])


def _ordered(verifiers: Sequence[Verifier]) -> tuple[Verifier, ...]:
    return tuple(sorted(verifiers, key=lambda one: (_LETTERS.index(one.id[0]), one.id)))
