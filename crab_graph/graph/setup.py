"""The settings of an episode with all that they name opened: engine, model, fragments, prices."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crab_graph.errors import UsageError
from crab_graph.models.prices import NO_PRICES, Prices
from crab_graph.personas.fragment_set import Fragments, load_fragments
from crab_graph.settings import Engine, EpisodeSettings


@dataclass(frozen=True, slots=True)
class Setup:
    """What the episodes of a worker share.

    Attributes:
        settings: The settings.
        model: The model of the user, which is opened when it is first needed.
        fragments: The prompt fragments.
        prices: Prices of models, to count costs with.
    """

    settings: EpisodeSettings
    model: Any
    fragments: Fragments
    prices: Prices

    @property
    def engine(self) -> Engine:
        """What plays a condition."""
        return Engine(self.settings.engine)


def set_up(settings: EpisodeSettings, prices: Prices | None = None) -> Setup:
    """Open what settings name.

    Raises:
        UsageError: the engine lacks its model, a model is given to one that has none, or the
            directory of fragments cannot be read.
    """
    has_model = settings.user_model is not None
    if settings.engine == Engine.RULES and has_model:
        raise UsageError("a user model speaks only with --engine llm or hybrid")
    if settings.engine != Engine.RULES and not has_model:
        raise UsageError(
            f"the engine '{settings.engine}' needs a model for the user: --user-model SPEC"
        )
    folder = None if settings.personas is None else Path(settings.personas)
    return Setup(settings, settings.user_model, load_fragments(folder), prices or NO_PRICES)
