"""What every file and record of the project has in common: strict models and canonical JSON."""

import hashlib
import json
from importlib.resources.abc import Traversable
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError


class FileModel(BaseModel):
    """Base of everything read from or written to a file: frozen, and no unknown field."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_SOURCES = (".py", ".toml", ".md")
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def first_error(error: ValidationError) -> str:
    """Return the first thing that is wrong, and the field in which it is."""
    first = error.errors(include_input=False)[0]
    field = ".".join(map(str, first["loc"]))
    return f"field '{field}': {first['msg']}" if field else first["msg"]


def canonical_json(value: Any) -> str:
    """Return `value` as JSON with sorted keys and no spaces: equal values are equal bytes."""
    return _CANONICAL.encode(value)


def digest(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON of `value`, in hexadecimal."""
    return text_sha256(canonical_json(value))


def text_sha256(text: str) -> str:
    """Return the SHA-256 of a text as UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def source_hashes(folder: Traversable, path: str, *, deep: bool = True) -> list[tuple[str, str]]:
    """Return the hash of each source in a folder, and in those below, by its path from there."""
    found = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = f"{path}/{entry.name}"
        if deep and entry.is_dir():
            found += source_hashes(entry, name)
        elif entry.name.endswith(_SOURCES):
            found.append((name, hashlib.sha256(entry.read_bytes()).hexdigest()))
    return found
