"""Seams: what other packages add by entry point, found in one way whatever it is.

A package that brings a domain, an export format, a checkpoint store or a figure registers it under
the group of that seam; what crab-graph brings itself stands in `built_in`, so that it is found in a
checkout that is not installed too. Nothing is imported before it is asked for by its name.
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from crab_graph.errors import CrabGraphError, DeclarationError, UnknownName, UsageError

_UNUSABLE = (Exception, SystemExit, GeneratorExit)
"""What a module raises that cannot be used; not an interrupt, which is somebody's wish."""


@dataclass(frozen=True, slots=True)
class Seam:
    """One kind of thing that can be added.

    Attributes:
        group: Its entry point group, such as `crab_graph.domains`.
        kind: What errors call it, such as `domain`.
        built_in: What crab-graph brings: `module:attribute`, by name.
        refuses: Says what is wrong with something that was found, if anything is.
    """

    group: str
    kind: str
    built_in: Mapping[str, str]
    refuses: Callable[[Any], str | None] = lambda found: None

    def names(self) -> tuple[str, ...]:
        """Return the names of all that can be found."""
        return tuple(sorted({*self.built_in, *self._registered()}))

    def find(self, name: str) -> Any:
        """Import and return what has a name; ours comes before another package's.

        Raises:
            UnknownName: no installed package registers it.
            UsageError: the package that does cannot be imported, or what it registers is refused.
        """
        if name in self.built_in:
            module, _, attribute = self.built_in[name].partition(":")
            return getattr(import_module(module), attribute)
        registered = self._registered()
        if name not in registered:
            raise UnknownName(self.kind, name, self.names())
        entry, *others = registered[name]
        package = _package_of(entry)
        if others:
            packages = " and ".join(map(_package_of, registered[name]))
            raise UsageError(
                f"{self.kind} '{name}' is registered by {packages}; uninstall all but one"
            )
        place = f"{self.kind} '{name}' of the package '{package}'"
        mend = "mend or uninstall that package"
        try:
            found = entry.load()
        except _UNUSABLE as error:
            raise UsageError(
                f"{place} cannot be loaded: {_reason(error)} (at {entry.value}); {mend}"
            ) from error
        problem = self.refuses(found)
        if problem is not None:
            raise UsageError(f"{place} ({entry.value}) {problem}; {mend}")
        return found

    def _registered(self) -> dict[str, list[EntryPoint]]:
        """Return by name what is registered; a package that is found twice counts once."""
        found: dict[str, dict[str, EntryPoint]] = {}
        for entry in entry_points(group=self.group):
            found.setdefault(entry.name, {}).setdefault(entry.value, entry)
        return {name: list(by_value.values()) for name, by_value in found.items()}


def _package_of(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.module


def _reason(error: BaseException) -> str:
    """Return in one line why something could not be imported."""
    if isinstance(error, DeclarationError):
        return "; ".join(error.problems)
    said = "; ".join(str(error).splitlines())
    return said if isinstance(error, CrabGraphError) else f"{type(error).__name__}: {said}"


def import_attribute(kind: str, spec: str, *, missing: str = "names no module") -> Any:
    """Return what `module:attribute` names; modules in the working directory are found too.

    Raises:
        UsageError: there is no such module or attribute, or the module cannot be imported; `kind`
            says what was looked for, and `missing` what is wrong where the module is not there.
    """
    module, _, attribute = spec.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # a console script, unlike `python -m`, leaves it out
    try:
        value: Any = import_module(module)
    except ModuleNotFoundError as error:
        raise UsageError(f"{kind} '{spec}' {missing}: {error}") from error
    except CrabGraphError:
        raise
    except _UNUSABLE as error:  # the module is somebody else's: whatever it raises, it is unusable
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(f"{kind} '{spec}': importing '{module}' failed: {reason}") from error
    for name in attribute.split("."):
        if not hasattr(value, name):
            raise UsageError(f"{kind} '{spec}': '{module}' has no attribute '{attribute}'")
        value = getattr(value, name)
    return value
