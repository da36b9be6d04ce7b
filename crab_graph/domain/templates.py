"""The words that every domain's users share, and how a domain's own are filled into them."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

_PLACE = re.compile(r"\{([A-Za-z_]+)\}")


@cache
def templates(name: str = "templates.toml") -> Mapping[str, Any]:
    """Return the parsed templates."""
    return tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))


def filled(part: Any, words: Mapping[str, str]) -> Any:
    """Return a part of a document with the words filled in; other places stay as they are.

    A place with a capital takes the words with one.
    """
    if isinstance(part, Mapping):
        return {key: filled(one, words) for key, one in part.items()}
    if isinstance(part, list):
        return [filled(one, words) for one in part]
    return _PLACE.sub(lambda place: _word(place, words), part) if isinstance(part, str) else part


def _word(place: re.Match[str], words: Mapping[str, str]) -> str:
    name = place[1]
    if name in words:
        return words[name]
    low = name[0].lower() + name[1:]
    return place[0] if low not in words else words[low][:1].upper() + words[low][1:]


def merged(derived: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document in which what is given takes the place of what is derived, part by part.

    Tables are merged, all else is replaced; a list under a key that ends in `+` is added to the one
    without, and `false` takes a part away that is no truth value.
    """
    document = dict(derived)
    for key, value in given.items():
        before = document.get(key)
        if key.endswith("+"):
            document[key[:-1]] = [*_listed(document.get(key[:-1], [])), *_listed(value)]
        elif value is False and before is not None and not isinstance(before, bool):
            del document[key]
        elif isinstance(value, Mapping) and isinstance(before, Mapping):
            document[key] = merged(before, value)
        else:
            document[key] = value
    return document


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
