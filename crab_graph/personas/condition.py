"""Conditions: the persona and behaviour dimensions of a simulated user (paper section 3.3)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
    """Communication style, information disclosure, clarification and error reaction."""

    D1 = "d1"
    D2 = "d2"
    D3 = "d3"
    D4 = "d4"


PERSONAS = (Persona.TERSE, Persona.NEUTRAL, Persona.IMPATIENT)
DIMENSIONS = tuple(Dimension)
ABLATION = ("generic", "persona", "d1", "d2", "d3", "d4", "ruse")


@dataclass(frozen=True, slots=True)
class Added:
    """What files add: personas, with the built-in one each behaves like, and dimensions."""

    personas: Mapping[str, Persona] = field(default_factory=dict)
    dimensions: tuple[str, ...] = ()


SHIPPED = Added(dimensions=("d5", "d6", "d7"))
"""Dimensions beyond the paper's four, off by default: no named condition has them."""


@dataclass(frozen=True, slots=True)
class ResolvedCondition:
    """A condition whose persona is settled, as one episode has it.

    `name` is that of the condition it came from, such as `ruse`; the rest is as there.
    """

    name: str
    persona: Persona
    dimensions: tuple[str, ...] = ()
    added: str | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def persona_name(self) -> str:
        """Name of the persona, be it built in or added."""
        return self.added or str(self.persona)

    @property
    def added_dimensions(self) -> tuple[str, ...]:
        """The dimensions that files added."""
        return tuple(name for name in self.dimensions if name not in DIMENSIONS)

    def has(self, dimension: str) -> bool:
        """Tell whether a dimension is switched on."""
        return dimension in self.dimensions


@dataclass(frozen=True, slots=True)
class Condition:
    """The dimensions that are switched on, in order, and the persona of every episode.

    A persona of `None` is drawn per task and trial. `added` names one that a file added; `persona`
    is then the one it behaves like.
    """

    persona: Persona | None
    dimensions: tuple[str, ...] = ()
    added: str | None = None

    def __str__(self) -> str:
        if self.persona is None and self.dimensions[: len(DIMENSIONS)] == DIMENSIONS:
            return "+".join(["ruse", *self.dimensions[len(DIMENSIONS) :]])
        if self.persona is Persona.NONE and not self.dimensions and not self.added:
            return "generic"
        named = self.added or str(self.persona or "persona")
        words = [] if named == Persona.NONE else [named]
        return "+".join([*words, *self.dimensions])

    def with_persona(self, persona: Persona | str, added: Added = SHIPPED) -> "Condition":
        """Return the condition with its persona fixed, as `--persona` asks."""
        name = str(persona)
        if name in added.personas:
            return replace(self, persona=added.personas[name], added=name)
        if name not in set(Persona):
            raise UnknownName("persona", name, [*Persona, *added.personas])
        return replace(self, persona=Persona(name), added=None)


def parse_condition(text: str, added: Added = SHIPPED) -> Condition:
    """Read `generic`, `persona`, `ruse`, `d2` or a free mix such as `terse+d2+d4`.

    Dimensions that files added can be mixed with `ruse`, too.

    Raises:
        UnknownName: a part is no persona, dimension or named condition.
        UsageError: two personas, a part given twice, or nothing at all.
    """
    parts = [part.strip().lower() for part in text.split("+")]
    apart = [word for part in parts for word in re.split(r"[\s&/]+", part)]
    if len(apart) > len(parts):
        raise UnknownName("condition", text, (), f"did you mean {'+'.join(filter(None, apart))}?")
    if parts == ["generic"]:
        return Condition(Persona.NONE)
    repeated = next((part for part in parts if parts.count(part) > 1), None)
    if repeated is not None:
        raise UsageError(f"condition '{text}' names '{repeated}' more than once")
    extra = tuple(name for name in added.dimensions if name in parts)
    others = [part for part in parts if part not in extra]
    if others == ["ruse"]:
        return Condition(None, (*DIMENSIONS, *extra))
    dimensions = (*(dimension for dimension in DIMENSIONS if dimension in others), *extra)
    others = [part for part in others if part not in dimensions]
    if len(others) > 1:
        for part in others:
            _persona_of(part, added)
        raise UsageError(
            f"condition '{text}' has more than one persona: {', '.join(others)}; choose one"
        )
    if not others:
        return Condition(Persona.NONE, dimensions)
    own = others[0] if others[0] in added.personas else None
    return Condition(_persona_of(others[0], added), dimensions, own)


def resolve(condition: Condition, seed: int, task_id: str, trial: int) -> ResolvedCondition:
    """Settle the persona of one episode.

    A drawn persona depends on seed, task and trial alone, so that `persona` and `ruse` meet the
    same person and their episodes can be compared in pairs.
    """
    persona = condition.persona
    if persona is None:
        persona = derive_rng("persona", seed, task_id, trial).choice(PERSONAS)
    return ResolvedCondition(str(condition), persona, condition.dimensions, condition.added)


def _persona_of(part: str, added: Added) -> Persona | None:
    if part == "persona":
        return None
    if part in added.personas:
        return added.personas[part]
    own = (*added.personas, *added.dimensions)
    known = [*PERSONAS, "none", "persona", *DIMENSIONS, "generic", "ruse", *own]
    if part in {"generic", "ruse"}:
        raise UsageError(f"'{part}' is a condition of its own and cannot be mixed with other parts")
    if part not in known:
        raise UnknownName("condition", part, known)
    return Persona(part)
