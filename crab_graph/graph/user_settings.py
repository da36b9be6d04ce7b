"""What plays the users of a run: the engine, its model, and the prompt fragments (paper A.2)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from crab_graph.errors import UnknownName, UsageError
from crab_graph.personas.fragment_set import Fragments, built_in_fragments


class Engine(StrEnum):
    """What decides and words a user's turns."""

    RULES = "rules"
    LLM = "llm"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class UserSettings:
    """How conditions become users.

    Attributes:
        engine: `rules`, `llm` for a model that follows the composed prompt, or `hybrid` for a model
            that words what the rules decide.
        model: The model of the other two: `provider:model`, an address, or a chat model.
        fragments: The prompt fragments; `None` for the built-in ones.
    """

    engine: Engine = Engine.RULES
    model: Any = None
    fragments: Fragments | None = None

    @property
    def pieces(self) -> Fragments:
        """The prompt fragments."""
        return self.fragments or built_in_fragments()


def user_settings(
    engine: str = Engine.RULES, model: Any = None, fragments: Fragments | None = None
) -> UserSettings:
    """Return settings that fit together.

    Raises:
        UnknownName: there is no such engine.
        UsageError: the engine lacks its model, or a model is given to one that has none.
    """
    if engine not in set(Engine):
        raise UnknownName("engine", str(engine), Engine)
    chosen = Engine(engine)
    if chosen is not Engine.RULES and model is None:
        raise UsageError(f"the engine '{chosen}' needs a model for the user: --user-model SPEC")
    if chosen is Engine.RULES and model is not None:
        raise UsageError("a user model speaks only with --engine llm or hybrid")
    return UserSettings(chosen, model, fragments)
