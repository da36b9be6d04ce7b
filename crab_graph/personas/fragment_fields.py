"""The fields at the head of a fragment of one's own: the rates of a persona or a dimension.

A field is a line `name: value` above the text. The rule-based user follows the values, and the
prompt's placeholders show them; what a fragment leaves out stays as it was.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from crab_graph.errors import UsageError
from crab_graph.personas.behavior import (
    Behavior,
    InformationDisclosure,
    Temper,
    Voice,
)

LIKE = "like"
_LINE = re.compile(r"\A([a-z][a-z0-9_]*):[ \t]*([^\n]*?)[ \t]*(?:\n|\Z)")

FieldValue = float | int | str | None


@dataclass(frozen=True, slots=True)
class _Field:
    """Where a value goes, how it is read, and what is allowed."""

    component: str
    read: Callable[[str], FieldValue]
    allowed: str


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


def _count(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text)
        if value < least:
            raise ValueError(text)
        return value

    return read


def _count_or(word: str) -> Callable[[str], int | None]:
    return lambda text: None if text == word else _count(1)(text)


def _one_of(values: type[StrEnum]) -> tuple[Callable[[str], str], str]:
    return lambda text: values(text), ", ".join(values)


_A_SHARE = "a share from 0 to 1"
_FIELDS: Mapping[str, _Field] = {
    "words": _Field("style", _count(1), "a number from 1"),
    "short": _Field("style", _share, _A_SHARE),
    "polite": _Field("style", _share, _A_SHARE),
    "questions": _Field("style", _share, _A_SHARE),
    "voice": _Field("style", *_one_of(Voice)),
    "drifts": _Field("style", _share, _A_SHARE),
    "jargon": _Field("style", _share, _A_SHARE),
    "facts_per_answer": _Field("disclosure", _count_or("all"), "a number from 1, or all"),
    "uncertain": _Field("clarification", _share, _A_SHARE),
    "asks_back": _Field("clarification", _count(0), "a number from 0"),
    "which_first": _Field("clarification", _share, _A_SHARE),
    "changes_mind": _Field("clarification", _share, _A_SHARE),
    "manner": _Field("clarification", *_one_of(Voice)),
    "temper": _Field("reaction", *_one_of(Temper)),
    "patience": _Field("reaction", _count(1), "a number from 1"),
    "insists": _Field("reaction", _count(0), "a number from 0"),
    "most_questions": _Field("reaction", _count_or("never"), "a number from 1, or never"),
}


def split_fields(path: Path, text: str) -> tuple[dict[str, str], str]:
    """Split a fragment into the fields at its head, as written, and its text.

    Raises:
        UsageError: a field is not known or stands twice; the message names the file.
    """
    fields: dict[str, str] = {}
    while (line := _LINE.match(text)) is not None:
        name = line[1]
        if name != LIKE and name not in _FIELDS:
            known = ", ".join([LIKE, *_FIELDS])
            raise UsageError(f"{path}: unknown field '{name}'; known: {known}")
        if name in fields:
            raise UsageError(f"{path}: field '{name}' stands twice")
        fields[name] = line[2]
        text = text[line.end() :]
    return fields, text


def read_fields(path: Path, fields: Mapping[str, str]) -> dict[str, FieldValue]:
    """Return the values of fields.

    Raises:
        UsageError: a value is none of those allowed; the message names the file and the field.
    """
    values = {}
    for name, written in fields.items():
        kind = _FIELDS[name]
        try:
            values[name] = kind.read(written)
        except ValueError as error:
            raise UsageError(f"{path}: '{name}: {written}' must be {kind.allowed}") from error
    return values


def with_fields(behavior: Behavior, values: Mapping[str, FieldValue]) -> Behavior:
    """Return a behaviour in which the values of fields stand.

    With `facts_per_answer` details wait for a question: who gives them one by one does not begin
    with all.
    """
    for name, value in values.items():
        component = _FIELDS[name].component
        if component == "disclosure":
            limit = None if value is None else int(value)
            behavior = replace(behavior, disclosure=InformationDisclosure(True, limit))
        else:
            changed = replace(getattr(behavior, component), **{name: value})
            behavior = replace(behavior, **{component: changed})
    return behavior
