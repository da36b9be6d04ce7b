"""Whose code something is, and a hash of how it was written."""

import dis
import hashlib
import os
import sys
import types
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

_MAIN = frozenset({"__main__", "__mp_main__"})
_INSTALLED = frozenset({"site-packages", "dist-packages"})
_OURS = "crab_graph"
_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})


def is_own(module: str | None) -> bool:
    """Return whether a module is the user's: neither of Python, nor installed, nor ours."""
    if module is None or module in _MAIN:
        return True
    root = module.partition(".")[0]
    if root == _OURS or root in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is None or _INSTALLED.isdisjoint(Path(file).parts)


def source_sha256(module: str | None) -> str | None:
    """Return the hash of the file that a module was loaded from.

    A script that is run has none: what it does beside making an agent may change at any time.
    """
    if module is None or module in _MAIN:
        return None
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or not file.endswith(".py"):
        return None
    try:
        stat = Path(file).stat()
        return _file_sha256(file, stat.st_mtime_ns, stat.st_size)
    except OSError:
        return None


def module_sha256(spec: str) -> str | None:
    """Return the hash of the file that `module:attribute` would be loaded from; import nothing.

    `None` where there is none of Python's, or the spec names no module.
    """
    module, mark, _ = spec.partition(":")
    if not mark or not all(part.isidentifier() for part in module.split(".")):
        return None
    if module in sys.modules:
        return source_sha256(module)
    where: Sequence[str] | None = [os.getcwd(), *sys.path]  # as `import_attribute` looks for it
    found: ModuleSpec | None = None
    name = ""
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        found = None if where is None else PathFinder.find_spec(name, where)
        if found is None:
            return None
        where = found.submodule_search_locations
    if found is None or not (found.origin or "").endswith(".py"):
        return None
    try:
        return hashlib.sha256(Path(str(found.origin)).read_bytes()).hexdigest()
    except OSError:
        return None


@lru_cache(maxsize=1024)
def _file_sha256(file: str, modified_ns: int, size: int) -> str:
    del modified_ns, size
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def globals_in(code: types.CodeType) -> set[str]:
    """Return the names of all globals that a function and those within it use."""
    return set(_names(code, _GLOBALS))


def attributes_in(code: types.CodeType) -> set[str]:
    """Return the names of all attributes that a function and those within it use."""
    return set(_names(code, _ATTRIBUTES))


def _names(code: types.CodeType, operations: frozenset[str]) -> Iterator[str]:
    for step in dis.get_instructions(code):
        if step.opname in operations:
            yield step.argval
        elif isinstance(step.argval, types.CodeType):
            yield from _names(step.argval, operations)


def dotted(value: type | types.FunctionType) -> str:
    """Return `module.name` of a class or function."""
    return f"{value.__module__}.{value.__qualname__}"
