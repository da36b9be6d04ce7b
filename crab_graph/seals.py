"""Checksums in files: they tell of a document, or a line of one, that it was changed.

A document carries one over its other fields, in the field `seal`. A line of a shard ends with its
number and one over its own bytes, `…,"line":17,"seal":"5f1c…"}`: each intact line is trusted by
itself, whatever happened to its neighbours, and a number that is left out tells of lines that were
taken away. They tell of accidents and of edits; against somebody who makes them anew there is the
hash that `verify` prints, which whoever made a folder publishes elsewhere.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from crab_graph.errors import CrabGraphError
from crab_graph.schema import digest, first_error

Model = TypeVar("Model", bound=BaseModel)

SEAL = "seal"
SEALED = 2
"""The first version of a file's format that carries a checksum; earlier files have none."""

_LINE_END = re.compile(rb',"line":(\d{1,12}),"seal":"([0-9a-f]{64})"\}\r?\n?')
_LONGEST_END = 120
LINE_BEGINNING = b'{"'
_EPISODE = re.compile(rb'"episode_id":"([^"\\]{1,200})"')
_START = 400

UNSEALED = "it has no checksum"
NO_LINE = "it is no line of JSON"
CHANGED = "it was changed after it was written"


class DamagedFile(CrabGraphError):
    """A file that cannot be read, with the reason; whoever reads it says what can be done."""


class SealedLine(NamedTuple):
    """A line as it is read: its JSON without number and checksum, and what is wrong with it.

    The number is `None` where the line has no checksum.
    """

    body: bytes
    number: int | None
    problem: str | None = None


def sealed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a document with their checksum."""
    return {**fields, SEAL: seal_of(fields)}


def seal_of(fields: Mapping[str, Any]) -> str:
    """Return the checksum of a document's fields: the digest of all but the checksum itself."""
    return digest({name: value for name, value in fields.items() if name != SEAL})


def document_problem(fields: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the checksum of a document, if anything is.

    One whose format is older than checksums needs none; one that is there has to be right.
    """
    if SEAL not in fields:
        return None if fields.get("schema_version", 1) == 1 else UNSEALED
    try:
        return None if fields[SEAL] == seal_of(fields) else CHANGED
    except (ValueError, RecursionError):  # half a character, or nested too deeply to be written
        return CHANGED


def read_document(path: Path, *, checked: bool = True) -> dict[str, Any]:
    """Return the fields of a file that is one JSON object, its checksum checked and among them.

    Raises:
        FileNotFoundError: there is no such file.
        DamagedFile: it is no such file, or was changed.
    """
    fields = _parsed(path, json.loads, "JSON")
    if not isinstance(fields, dict):
        raise DamagedFile("it is not a JSON object")
    if checked and (problem := document_problem(fields)):
        raise DamagedFile(problem)
    return fields


def read_model(path: Path, model: type[Model]) -> Model:
    """Return what a file that is one JSON object says, its checksum checked.

    Raises:
        FileNotFoundError: there is no such file.
        DamagedFile: it is no such file, or was changed.
    """
    fields = read_document(path)
    fields.pop(SEAL, None)
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise DamagedFile(first_error(error)) from None


def read_toml(path: Path, model: type[Model]) -> Model:
    """Return what a TOML file says that a user wrote; errors as `read_model`."""
    try:
        return model.model_validate(_parsed(path, tomllib.loads, "TOML"))
    except ValidationError as error:
        raise DamagedFile(first_error(error)) from None


def _parsed(path: Path, parse: Callable[[str], Any], language: str) -> Any:
    try:
        return parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DamagedFile(f"it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DamagedFile("it is not UTF-8 text") from None
    except RecursionError:
        raise DamagedFile("it is nested too deeply") from None
    except ValueError as error:  # also a number of more digits than Python reads
        raise DamagedFile(f"it is not {language} ({str(error).partition(';')[0]})") from None


def seal_line(body: bytes, number: int) -> bytes:
    """Return a JSON object as a line of that number, with its checksum and the end of the line."""
    return b'%b,"line":%d,"seal":"%b"}\n' % (body[:-1], number, _line_seal(body, number))


def open_line(line: bytes) -> SealedLine:
    """Return what a line holds, its checksum checked if it has one."""
    end = _LINE_END.search(line, max(0, len(line) - _LONGEST_END))
    if end is None or end.end() < len(line):
        return SealedLine(line, None)
    body, number = line[: end.start()] + b"}", int(end[1])
    problem = None if _line_seal(body, number) == end[2] else CHANGED
    return SealedLine(body, number, problem)


def is_torn(line: bytes) -> bool:
    """Tell whether the last line of a file is still being written, or was torn off by a kill.

    Then it ends in no line feed and begins as lines do. What begins otherwise, such as the zeros
    that a machine without power may leave, is damage.
    """
    return not line.endswith(b"\n") and LINE_BEGINNING.startswith(line[: len(LINE_BEGINNING)])


def episode_named(line: bytes) -> str:
    """Return the id of the episode in the beginning of a line that may be damaged, or nothing."""
    found = _EPISODE.search(line, 0, _START)
    return found[1].decode("utf-8", "replace") if found else ""


def _line_seal(body: bytes, number: int) -> bytes:
    found = hashlib.sha256(b"%d\n" % number)
    found.update(body)
    return found.hexdigest().encode()


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
