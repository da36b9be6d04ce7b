"""Conditions: the persona and behaviour dimensions of a simulated user (paper section 3.3)."""

from dataclasses import dataclass, replace
from enum import StrEnum

from crab_graph.errors import UnknownName, UsageError
from crab_graph.randomness import derive_rng


class Persona(StrEnum):
    """How a user communicates; `none` is the cooperative generic user."""

    NONE = "none"
    TERSE = "terse"
    NEUTRAL = "neutral"
    IMPATIENT = "impatient"


class Dimension(StrEnum):
    """The four behaviour dimensions of real users."""

    D1 = "d1"
    D2 = "d2"
    D3 = "d3"
    D4 = "d4"

    @property
    def full_name(self) -> str:
        """Return the dimension's name in the paper."""
        return _TITLES[self]


_TITLES = {
    Dimension.D1: "communication style",
    Dimension.D2: "information disclosure",
    Dimension.D3: "clarification",
    Dimension.D4: "error reaction",
}

PERSONAS = (Persona.TERSE, Persona.NEUTRAL, Persona.IMPATIENT)
DIMENSIONS = tuple(Dimension)
ABLATION = ("generic", "persona", "d1", "d2", "d3", "d4", "ruse")


@dataclass(frozen=True, slots=True)
class ResolvedCondition:
    """A condition whose persona is settled, as one episode has it.

    Attributes:
        name: Name of the condition it came from, such as `ruse`.
        persona: The settled persona.
        dimensions: The dimensions that are switched on, in order.
    """

    name: str
    persona: Persona
    dimensions: tuple[Dimension, ...] = ()

    def __str__(self) -> str:
        return self.name

    def has(self, dimension: Dimension) -> bool:
        """Tell whether a dimension is switched on."""
        return dimension in self.dimensions


@dataclass(frozen=True, slots=True)
class Condition:
    """What is switched on; `persona` is `None` where each episode draws its own.

    Attributes:
        persona: The persona of every episode, or `None` to draw one per task and trial.
        dimensions: The dimensions that are switched on, in order.
    """

    persona: Persona | None
    dimensions: tuple[Dimension, ...] = ()

    def __str__(self) -> str:
        if self.persona is None and self.dimensions == DIMENSIONS:
            return "ruse"
        if self.persona is Persona.NONE and not self.dimensions:
            return "generic"
        words = [] if self.persona is Persona.NONE else [str(self.persona or "persona")]
        return "+".join([*words, *self.dimensions])

    def with_persona(self, persona: Persona | str) -> "Condition":
        """Return the condition with its persona fixed, as `--persona` asks."""
        return replace(self, persona=_named_persona(str(persona)))


def parse_condition(text: str) -> Condition:
    """Read `generic`, `persona`, `ruse`, `d2` or a free mix such as `terse+d2+d4`.

    Raises:
        UnknownName: a part is no persona, dimension or named condition.
        UsageError: two personas, a part given twice, or nothing at all.
    """
    parts = [part.strip().lower() for part in text.split("+")]
    if parts == ["ruse"]:
        return Condition(None, DIMENSIONS)
    if parts == ["generic"]:
        return Condition(Persona.NONE)
    repeated = next((part for part in parts if parts.count(part) > 1), None)
    if repeated is not None:
        raise UsageError(f"condition '{text}' names '{repeated}' more than once")
    dimensions = tuple(dimension for dimension in DIMENSIONS if dimension in parts)
    others = [part for part in parts if part not in dimensions]
    if len(others) > 1:
        for part in others:
            _persona_of(part)
        raise UsageError(
            f"condition '{text}' has more than one persona: {', '.join(others)}; choose one"
        )
    return Condition(_persona_of(others[0]) if others else Persona.NONE, dimensions)


def resolve(condition: Condition, seed: int, task_id: str, trial: int) -> ResolvedCondition:
    """Settle the persona of one episode.

    A drawn persona depends on seed, task and trial alone, so that `persona` and `ruse` meet the
    same person and their episodes can be compared in pairs.
    """
    persona = condition.persona
    if persona is None:
        persona = derive_rng("persona", seed, task_id, trial).choice(PERSONAS)
    return ResolvedCondition(str(condition), persona, condition.dimensions)


def _persona_of(part: str) -> Persona | None:
    if part == "persona":
        return None
    known = [*PERSONAS, "none", "persona", *DIMENSIONS, "generic", "ruse"]
    if part in {"generic", "ruse"}:
        raise UsageError(f"'{part}' is a condition of its own and cannot be mixed with other parts")
    if part not in known:
        raise UnknownName("condition", part, known)
    return Persona(part)


def _named_persona(name: str) -> Persona:
    if name not in set(Persona):
        raise UnknownName("persona", name, Persona)
    return Persona(name)
