"""How each persona and dimension behaves: the one table of rates and limits (paper section 3.3).

A persona alone sets all four components. A dimension replaces one of them by the variant of its
persona, or by its default variant where there is no persona. The values are a starting mixture
after published rates of real users; the fidelity report compares what comes out with what they are.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from crab_graph.errors import UsageError
from crab_graph.personas.condition import Dimension, Persona, ResolvedCondition


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


@dataclass(frozen=True, slots=True)
class Style:
    """Communication style (D1).

    Attributes:
        words: Words a turn aims at; below ten, facts are given as fragments.
        short: Share of turns cut down to a few words.
        polite: Share of turns with a courtesy.
        questions: Share of answers that carry a question back.
        voice: The set of phrases.
        drifts: Share of turns with a sentence off the topic (D5).
        jargon: Share of facts in the words of the trade (D7).
    """

    words: int
    short: float
    polite: float
    questions: float
    voice: Voice
    drifts: float = 0.0
    jargon: float = 0.0


@dataclass(frozen=True, slots=True)
class InformationDisclosure:
    """Information disclosure (D2).

    Attributes:
        two_levels: Whether details wait for a question.
        facts_per_answer: Most details one answer gives; `None` gives all that were asked for.
    """

    two_levels: bool
    facts_per_answer: int | None


@dataclass(frozen=True, slots=True)
class Clarification:
    """Clarification (D3).

    Attributes:
        uncertain: Share of answers with a hedge.
        asks_back: How often the user asks what an unclear question means before it passes it over.
        which_first: Share of answers that leave something out to many questions, and ask which of
            them matter.
        manner: The phrases of both.
        changes_mind: Share of tasks in which the user first wants one detail otherwise (D6).
    """

    uncertain: float = 0.0
    asks_back: int = 0
    which_first: float = 0.0
    manner: Voice = Voice.PLAIN
    changes_mind: float = 0.0


@dataclass(frozen=True, slots=True)
class Reaction:
    """Error reaction (D4).

    Attributes:
        temper: How an objection is worded.
        patience: Turns in a row without progress after which the user gives up.
        insists: How often the user asks to look again when the agent says it cannot help.
        most_questions: Facts asked for in one message above which the user objects to so many
            questions; `None` for never.
    """

    temper: Temper
    patience: int
    insists: int
    most_questions: int | None = None


@dataclass(frozen=True, slots=True)
class Behavior:
    """All that a condition decides about a user.

    Attributes:
        style: Communication style.
        disclosure: Information disclosure.
        clarification: Clarification.
        reaction: Error reaction.
    """

    style: Style
    disclosure: InformationDisclosure
    clarification: Clarification
    reaction: Reaction


_STYLES: Mapping[Persona, Style] = {
    Persona.NONE: Style(18, 0.0, 0.2, 0.0, Voice.PLAIN),
    Persona.TERSE: Style(4, 0.55, 0.05, 0.04, Voice.CLIPPED),
    Persona.NEUTRAL: Style(16, 0.10, 0.36, 0.15, Voice.PLAIN),
    Persona.IMPATIENT: Style(10, 0.25, 0.10, 0.10, Voice.PLAIN),
}
_D1: Mapping[Persona, Style] = {
    Persona.NONE: Style(10, 0.29, 0.17, 0.098, Voice.CASUAL),
    Persona.TERSE: Style(4, 0.55, 0.05, 0.04, Voice.CLIPPED),
    Persona.NEUTRAL: Style(16, 0.10, 0.36, 0.15, Voice.WARM),
    Persona.IMPATIENT: Style(10, 0.25, 0.10, 0.10, Voice.CURT),
}
_TWO_LEVELS: Mapping[Persona, InformationDisclosure] = {
    Persona.NONE: InformationDisclosure(True, 2),
    Persona.TERSE: InformationDisclosure(True, 1),
    Persona.NEUTRAL: InformationDisclosure(True, None),
    Persona.IMPATIENT: InformationDisclosure(True, 2),
}
_D3: Mapping[Persona, Clarification] = {
    Persona.NONE: Clarification(0.09, 2, 0.3, Voice.PLAIN),
    Persona.TERSE: Clarification(0.06, 1, 0.1, Voice.CLIPPED),
    Persona.NEUTRAL: Clarification(0.13, 2, 0.3, Voice.WARM),
    Persona.IMPATIENT: Clarification(0.08, 1, 0.2, Voice.CURT),
}
_REACTIONS: Mapping[Persona, Reaction] = {
    Persona.NONE: Reaction(Temper.PLAIN, 8, 1),
    Persona.TERSE: Reaction(Temper.PLAIN, 5, 0),
    Persona.NEUTRAL: Reaction(Temper.PLAIN, 6, 1),
    Persona.IMPATIENT: Reaction(Temper.PLAIN, 3, 0, 4),
}
_D4: Mapping[Persona, Reaction] = {
    Persona.NONE: Reaction(Temper.FIRM, 6, 1),
    Persona.TERSE: Reaction(Temper.BLUNT, 5, 0),
    Persona.NEUTRAL: Reaction(Temper.GENTLE, 6, 1),
    Persona.IMPATIENT: Reaction(Temper.CROSS, 3, 0, 3),
}
_VOLUNTEERS_ALL = InformationDisclosure(False, None)


def behavior_of(condition: ResolvedCondition) -> Behavior:
    """Look a condition up in the table."""
    persona = condition.persona
    two_levels = persona is not Persona.NONE or condition.has(Dimension.D2)
    return Behavior(
        style=(_D1 if condition.has(Dimension.D1) else _STYLES)[persona],
        disclosure=_TWO_LEVELS[persona] if two_levels else _VOLUNTEERS_ALL,
        clarification=_D3[persona] if condition.has(Dimension.D3) else Clarification(),
        reaction=(_D4 if condition.has(Dimension.D4) else _REACTIONS)[persona],
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
