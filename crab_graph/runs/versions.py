"""The versions of what a run was made with."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

_STAMPED = ("crab-graph", "langgraph", "langchain-core", "duckdb", "pydantic")


@cache
def versions() -> dict[str, str]:
    """Return the versions that are written beside results."""
    stamped = {name: _version(name) for name in _STAMPED}
    return {**stamped, "python": platform.python_version()}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
