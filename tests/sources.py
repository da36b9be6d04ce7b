"""The modules of the package, parsed once in a process."""

import ast
from functools import cache
from pathlib import Path

import crab_graph

PACKAGE = Path(crab_graph.__file__).parent


@cache
def trees() -> list[tuple[Path, ast.Module]]:
    """Every module, by its path, with its syntax tree."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in paths]
