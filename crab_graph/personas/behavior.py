"""How a user behaves under a condition (paper section 3.3), and the fields that say so.

The rates of the built-in personas and dimensions stand in `behavior.toml`. A fragment of one's own
has fields of the same names at its head, lines `name: value` above the text. The rule-based user
follows the values, and the prompt's placeholders show them.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, cast, get_origin, get_type_hints

from crab_graph.errors import UsageError
from crab_graph.personas.condition import DIMENSIONS, Persona, ResolvedCondition

LIKE = "like"
_LINE = re.compile(r"\A([a-z][a-z0-9_]*):[ \t]*([^\n]*?)[ \t]*(?:\n|\Z)")


class Voice(StrEnum):
    """Which set of phrases a user takes."""

    PLAIN = "plain"
    CASUAL = "casual"
    CLIPPED = "clipped"
    WARM = "warm"
    CURT = "curt"


class Temper(StrEnum):
    """How a user words an objection."""

    PLAIN = "plain"
    FIRM = "firm"
    BLUNT = "blunt"
    GENTLE = "gentle"
    CROSS = "cross"


FieldValue = float | int | str | None
_Kind = tuple[Callable[[str], FieldValue], str]
"""How a value is read, which fails with `ValueError`, and what is allowed."""


def _number(least: int, none: str | None = None) -> _Kind:
    def read(text: str) -> int | None:
        if text == none:
            return None
        if int(text) < least:
            raise ValueError(text)
        return int(text)

    return read, f"a number from {least}" + (f", or {none}" if none else "")


def _share(text: str) -> float:
    if not 0 <= float(text) <= 1:
        raise ValueError(text)
    return float(text)


_Share = Annotated[float, (_share, "a share from 0 to 1")]
_Voice = Annotated[Voice, (Voice, ", ".join(Voice))]


@dataclass(frozen=True, slots=True)
class Behavior:
    """All that a condition decides about a user; by default that of the generic user.

    Attributes:
        words: Words a turn aims at; below ten, facts are given as fragments.
        short: Share of turns cut down to a few words.
        polite: Share of turns with a courtesy.
        questions: Share of answers that carry a question back.
        indirect: Share of facts that the user says in words that take careful reading, where they
            can be said so; two of them at least, if any (D1).
        spreads: Share of answers of several facts whose second half comes with the next turn (D1).
        lower: Share of answers in lower case without full stops (D1).
        small_talk: Share of answers with a fact between two sentences off the topic (D1).
        drifts: Share of turns with a sentence off the topic (D5).
        jargon: Share of facts in the words of the trade (D7).
        two_levels: Whether details wait for a question (D2).
        facts_per_answer: Most details one answer gives; `None` gives all that were asked for.
        doubts: How many of its facts the user is not sure of when it first says them (D3).
        slips: How many of these it gets wrong at first; the others are vague.
        uncertain: Share of its other facts that it doubts at first, though it says them exactly
            (D3).
        asks_back: How often the user asks what an unclear question means before it passes it over.
        which_first: Share of answers that leave something out to many questions, and ask which of
            them matter.
        changes_mind: Share of tasks in which the user first wants one detail otherwise (D6).
        waits_for_booking: Share of tasks with a certified change of mind in which that comes only
            once something is booked, where all that it means can be cancelled.
        manner: The phrases in which it asks back and doubts.
        temper: How an objection is worded (D4).
        overlooks: Share of wrong details of a plan that the user does not see (D4).
        names_errors: Share of objections that say at once what is wrong; the others say so only
            when they are asked (D4).
        shortens: Share of its words that the user saves with each error (D4).
        refusals: How often the user corrects the same detail; the next time it gives up (D4);
            `None` for as often as it takes.
        patience: Turns in a row without progress after which the user gives up.
        insists: How often the user asks to look again when the agent says it cannot help.
        pays_in_parts: Share of tasks in which the user first approves some of the payments asked
            for, says so, and approves the others with its next turn (D4).
        tries_other_card: Share of tasks in which it pays by a card first whose limit is too low.
        most_questions: Facts asked for in one message above which the user objects to so many
            questions; `None` for never.
    """

    words: Annotated[int, _number(1)] = 18
    short: _Share = 0.0
    polite: _Share = 0.2
    questions: _Share = 0.0
    voice: _Voice = Voice.PLAIN
    indirect: _Share = 0.0
    spreads: _Share = 0.0
    lower: _Share = 0.0
    small_talk: _Share = 0.0
    drifts: _Share = 0.0
    jargon: _Share = 0.0
    two_levels: bool = False
    facts_per_answer: Annotated[int | None, _number(1, none="all")] = None
    doubts: Annotated[int, _number(0)] = 0
    slips: Annotated[int, _number(0)] = 0
    uncertain: _Share = 0.0
    asks_back: Annotated[int, _number(0)] = 0
    which_first: _Share = 0.0
    changes_mind: _Share = 0.0
    waits_for_booking: _Share = 0.3
    manner: _Voice = Voice.PLAIN
    temper: Annotated[Temper, (Temper, ", ".join(Temper))] = Temper.PLAIN
    overlooks: _Share = 0.0
    names_errors: _Share = 1.0
    shortens: _Share = 0.0
    refusals: Annotated[int | None, _number(1, none="any")] = None
    patience: Annotated[int, _number(1)] = 8
    insists: Annotated[int, _number(0)] = 1
    pays_in_parts: _Share = 0.0
    tries_other_card: _Share = 0.0
    most_questions: Annotated[int | None, _number(1, none="never")] = None


_FIELDS: Mapping[str, _Kind] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(Behavior, include_extras=True).items()
    if get_origin(hint) is Annotated
}


def behavior_of(condition: ResolvedCondition) -> Behavior:
    """Look a condition up in the table of the built-in personas and dimensions."""
    table, persona = _table(), condition.persona
    behavior = with_fields(Behavior(), table["persona"].get(persona, {}))
    variant = "default" if persona is Persona.NONE else str(persona)
    for dimension in DIMENSIONS:
        if condition.has(dimension):
            behavior = with_fields(behavior, table[dimension].get(variant, {}))
    return behavior


@cache
def least_patience() -> int:
    """Return the patience of the least patient of the built-in users."""
    return min(int(value) for value in _values("patience") if value is not None)


@cache
def least_questions() -> int:
    """Return the fewest questions to which a built-in user objects."""
    return min(int(value) for value in _values("most_questions") if value is not None)


def _values(name: str) -> list[FieldValue]:
    rows = (row for part in _table().values() for row in part.values())
    return [row[name] for row in rows if name in row]


@cache
def _table() -> Mapping[str, Mapping[str, Mapping[str, FieldValue]]]:
    file = files("crab_graph.personas").joinpath("behavior.toml")
    return {
        part: {
            name: read_fields(Path(file.name), {key: str(value) for key, value in row.items()})
            for name, row in rows.items()
        }
        for part, rows in tomllib.loads(file.read_text("utf-8")).items()
    }


def split_fields(path: Path, text: str) -> tuple[dict[str, str], str]:
    """Split a fragment into the fields at its head, as written, and its text.

    Raises:
        UsageError: a field is not known or stands twice; the message names the file.
    """
    found: dict[str, str] = {}
    while (line := _LINE.match(text)) is not None:
        name = line[1]
        if name != LIKE and name not in _FIELDS:
            known = ", ".join([LIKE, *_FIELDS])
            raise UsageError(f"{path}: unknown field '{name}'; known: {known}")
        if name in found:
            raise UsageError(f"{path}: field '{name}' stands twice")
        found[name] = line[2]
        text = text[line.end() :]
    return found, text


def read_fields(path: Path, written: Mapping[str, str]) -> dict[str, FieldValue]:
    """Return the values of fields, but for `like`.

    Raises:
        UsageError: a value is none of those allowed; the message names the file and the field.
    """
    values = {}
    for name, text in written.items():
        if name == LIKE:
            continue
        read, allowed = _FIELDS[name]
        try:
            values[name] = read(text)
        except ValueError as error:
            raise UsageError(f"{path}: '{name}: {text}' must be {allowed}") from error
    return values


def with_fields(behavior: Behavior, values: Mapping[str, FieldValue]) -> Behavior:
    """Return a behaviour in which the values of fields stand.

    With `facts_per_answer` details wait for a question: who gives them one by one does not begin
    with all.
    """
    if "facts_per_answer" in values:
        values = {**values, "two_levels": True}
    return replace(behavior, **cast(Any, values))
