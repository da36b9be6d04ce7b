"""Seams: what other packages add by entry point, found in one way whatever it is.

A package that brings a domain, an export format, a checkpoint store or a figure registers it under
the group of that seam; what crab-graph brings itself stands in `built_in`, so that it is found in a
checkout that is not installed too. Nothing is imported before it is asked for by its name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from crab_graph.errors import UnknownName, UsageError


@dataclass(frozen=True, slots=True)
class Seam:
    """One kind of thing that can be added.

    Attributes:
        group: Its entry point group, such as `crab_graph.domains`.
        kind: What errors call it, such as `domain`.
        built_in: What crab-graph brings: `module:attribute`, by name.
    """

    group: str
    kind: str
    built_in: Mapping[str, str]

    def names(self) -> tuple[str, ...]:
        """Return the names of all that can be found."""
        return tuple(sorted({*self.built_in, *self._registered()}))

    def find(self, name: str) -> Any:
        """Import and return what has a name; ours comes before another package's.

        Raises:
            UnknownName: no installed package registers it.
            UsageError: the package that does cannot be imported.
        """
        if name in self.built_in:
            module, _, attribute = self.built_in[name].partition(":")
            return getattr(import_module(module), attribute)
        registered = self._registered()
        if name not in registered:
            raise UnknownName(self.kind, name, self.names())
        entry = registered[name]
        try:
            return entry.load()
        except Exception as error:
            package = entry.dist.name if entry.dist else entry.module
            reason = f"{type(error).__name__}: {error}"
            raise UsageError(
                f"{self.kind} '{name}' of the package '{package}' cannot be loaded: {reason}"
            ) from error

    def _registered(self) -> dict[str, EntryPoint]:
        return {entry.name: entry for entry in entry_points(group=self.group)}
