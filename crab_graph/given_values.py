"""Values of another kind than is wanted, refused in words of what to give instead.

Each function returns what it was given, or raises a `UsageError` that names it as its caller did.
"""

import os
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin

from crab_graph.errors import UsageError


def a_number(name: str, value: Any) -> Any:
    """Return a number; a yes or no is none."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise UsageError(f"{name} must be a number, not {value!r}")
    return value


def a_count(name: str, value: Any, low: int = 0) -> int:
    """Return a whole number that is large enough."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise UsageError(f"{name} must be a whole number, not {value!r}")
    if value < low:
        raise UsageError(f"{name} must be {low} or more, not {value}")
    return int(value)


def a_text(name: str, value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise UsageError(f"{name} must be a text, not {value!r}")
    return value


def a_path(name: str, value: Any) -> Path:
    """Return a path that was given as one, as a text, or as what stands for its directory."""
    if not isinstance(value, str | os.PathLike):
        raise UsageError(f"{name} must be a path, not {value!r}")
    return Path(value)


def check_kind(name: str, kind: Any, value: Any) -> None:
    """Refuse a value, other than `None`, that is not of a field's type."""
    kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    several = [one for one in kinds if get_origin(one) is Sequence]
    if several:
        _check_several(name, get_args(several[0])[0], value)
    elif int in kinds and not isinstance(value, Integral):
        raise UsageError(f"{name} must be a whole number, not {value!r}")
    elif Path in kinds:
        a_path(name, value)
    elif str in kinds:
        a_text(name, value)


def _check_several(name: str, wanted: type, value: Any) -> None:
    if wanted is str and isinstance(value, str):
        return  # with commas, as on the command line
    what = "numbers" if wanted is int else "texts"
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UsageError(f"{name} takes several {what}, such as a list, not {value!r}")
    other = next((item for item in value if not isinstance(item, wanted)), None)
    if other is not None:
        raise UsageError(f"{name} takes {what}, and {other!r} is none")
