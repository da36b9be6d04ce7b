"""Conditions: the persona and behaviour dimensions of a simulated user (paper section 3.3)."""

from collections.abc import Mapping
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

_NONE_ADDED: Mapping[str, Persona] = {}


@dataclass(frozen=True, slots=True)
class ResolvedCondition:
    """A condition whose persona is settled, as one episode has it.

    Attributes:
        name: Name of the condition it came from, such as `ruse`.
        persona: The settled persona; for one that a file added, the persona it behaves like.
        dimensions: The dimensions that are switched on, in order.
        added: Name of a persona that a file added.
    """

    name: str
    persona: Persona
    dimensions: tuple[Dimension, ...] = ()
    added: str | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def persona_name(self) -> str:
        """Name of the persona, be it built in or added."""
        return self.added or str(self.persona)

    def has(self, dimension: Dimension) -> bool:
        """Tell whether a dimension is switched on."""
        return dimension in self.dimensions


@dataclass(frozen=True, slots=True)
class Condition:
    """What is switched on; `persona` is `None` where each episode draws its own.

    Attributes:
        persona: The persona of every episode, or `None` to draw one per task and trial.
        dimensions: The dimensions that are switched on, in order.
        added: Name of a persona that a file added; `persona` is the one it behaves like.
    """

    persona: Persona | None
    dimensions: tuple[Dimension, ...] = ()
    added: str | None = None

    def __str__(self) -> str:
        if self.persona is None and self.dimensions == DIMENSIONS:
            return "ruse"
        if self.persona is Persona.NONE and not self.dimensions and not self.added:
            return "generic"
        named = self.added or str(self.persona or "persona")
        words = [] if named == Persona.NONE else [named]
        return "+".join([*words, *self.dimensions])

    def with_persona(
        self, persona: Persona | str, added: Mapping[str, Persona] = _NONE_ADDED
    ) -> "Condition":
        """Return the condition with its persona fixed, as `--persona` asks."""
        name = str(persona)
        if name in added:
            return replace(self, persona=added[name], added=name)
        return replace(self, persona=_named_persona(name, added), added=None)


def parse_condition(text: str, added: Mapping[str, Persona] = _NONE_ADDED) -> Condition:
    """Read `generic`, `persona`, `ruse`, `d2` or a free mix such as `terse+d2+d4`.

    Args:
        text: The condition.
        added: Personas that files added, and the built-in one that each behaves like.

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
            _persona_of(part, added)
        raise UsageError(
            f"condition '{text}' has more than one persona: {', '.join(others)}; choose one"
        )
    if others and others[0] in added:
        return Condition(added[others[0]], dimensions, others[0])
    return Condition(_persona_of(others[0], added) if others else Persona.NONE, dimensions)


def resolve(condition: Condition, seed: int, task_id: str, trial: int) -> ResolvedCondition:
    """Settle the persona of one episode.

    A drawn persona depends on seed, task and trial alone, so that `persona` and `ruse` meet the
    same person and their episodes can be compared in pairs.
    """
    persona = condition.persona
    if persona is None:
        persona = derive_rng("persona", seed, task_id, trial).choice(PERSONAS)
    return ResolvedCondition(str(condition), persona, condition.dimensions, condition.added)


def _persona_of(part: str, added: Mapping[str, Persona]) -> Persona | None:
    if part == "persona":
        return None
    if part in added:
        return added[part]
    known = [*PERSONAS, "none", "persona", *DIMENSIONS, "generic", "ruse", *added]
    if part in {"generic", "ruse"}:
        raise UsageError(f"'{part}' is a condition of its own and cannot be mixed with other parts")
    if part not in known:
        raise UnknownName("condition", part, known)
    return Persona(part)


def _named_persona(name: str, added: Mapping[str, Persona]) -> Persona:
    if name not in set(Persona):
        raise UnknownName("persona", name, [*Persona, *added])
    return Persona(name)
