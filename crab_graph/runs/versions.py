"""The versions of what a run was made with."""

import hashlib
import inspect
import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any

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


def agent_sha256(agent: Any) -> str | None:
    """Return the hash of the source of an agent that is Python code; `None` for any other.

    For a spec `package.module:attribute` it is that of the module's whole file.
    """
    if isinstance(agent, str):
        module = sys.modules.get(agent.partition(":")[0]) if ":" in agent else None
        source = getattr(module, "__file__", None)
        try:
            return None if source is None else hashlib.sha256(Path(source).read_bytes()).hexdigest()
        except OSError:
            return None
    named = agent if inspect.isroutine(agent) or inspect.isclass(agent) else type(agent)
    try:
        return hashlib.sha256(inspect.getsource(named).encode()).hexdigest()
    except (OSError, TypeError):  # typed at a prompt, or not written in Python
        return None


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
