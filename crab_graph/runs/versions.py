"""The versions of what a run was made with."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files

from crab_graph.schema import digest, source_hashes

_STAMPED = ("crab-graph", "langgraph", "langchain-core", "duckdb", "pydantic")
_ROOMS = ("agents", "domains", "eval", "graph", "models", "personas", "text", "tools")
"""What an episode and its verdict depend on."""


@cache
def versions() -> dict[str, str]:
    """Return the versions that are written beside results."""
    stamped = {name: _version(name) for name in _STAMPED}
    return {**stamped, "python": platform.python_version()}


@cache
def code_sha256() -> str:
    """Return the hash of the package's sources that episodes and verdicts depend on.

    A version number stays the same while somebody works on a checkout; this does not.
    """
    package = files("crab_graph")
    return digest([line for room in _ROOMS for line in source_hashes(package / room, room)])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
