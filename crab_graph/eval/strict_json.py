"""JSON as the standard has it, whatever wrote it: no NaN, no number too large, whole characters."""

import json
import re
from math import isfinite
from typing import Any, NoReturn

_HALF = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; half a character in it becomes U+FFFD.

    Raises:
        ValueError: it is no JSON, or holds a number that is none or is too large.
        RecursionError: it is nested too deeply.
    """
    value = json.loads(text, parse_constant=_refuse, parse_float=_parse_float)
    return _whole(value) if _HALF.search(text) else value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _parse_float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is too large")
    return number


def _whole(value: Any) -> Any:
    """Return a JSON value with every half of a surrogate pair replaced."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value
