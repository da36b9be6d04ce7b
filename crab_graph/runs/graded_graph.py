"""One episode as a LangGraph that knows how it is graded."""

from collections.abc import Mapping
from typing import Any, Unpack

from langgraph.checkpoint.base import BaseCheckpointSaver

from crab_graph.agents.agent_types import AgentSpec
from crab_graph.domains.task import Task
from crab_graph.given_values import a_count
from crab_graph.graph.build import Leg, open_seats, prepare_episode
from crab_graph.graph.episode_graph import EpisodeGraph
from crab_graph.graph.users import UserSpec
from crab_graph.models.prices import NO_PRICES, Prices
from crab_graph.runs.episode import Visit, record_of
from crab_graph.runs.grading import VERDICT_FIELDS
from crab_graph.settings import EpisodeKeywords


def build_graph(
    task: Task,
    agent: AgentSpec,
    user: UserSpec = "ruse",
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    *,
    trial: int = 0,
    prices: Prices = NO_PRICES,
    **settings: Unpack[EpisodeKeywords],
) -> EpisodeGraph:
    """Return one episode as a compiled LangGraph; `invoke({}, config)` runs it.

    It returns the state at the episode's end, for `grade` and `messages`. With a checkpointer an
    episode that stopped goes on with `invoke(None, config)`; replies of models and callables are
    kept beside its checkpoints, and none is asked for twice. As a node of another graph it reads
    nothing of that graph's state, and returns `messages` (what the agent saw and said), `status`,
    `ending` and `verdict`.

    The prices of models serve a limit on cost; the settings are the fields of
    `crab_graph.settings.EpisodeSettings`.

    Raises:
        UsageError: a setting is out of range, or the agent or the user is none.
        BenchmarkError: another version of the domain made the task.
    """
    task, setup = open_seats(task, settings, prices)
    trial = a_count("trial", trial)
    prepared = prepare_episode(task, agent, user, checkpointer, setup, Leg(trial))

    def judge(state: Mapping[str, Any]) -> dict[str, Any]:
        record = record_of(task, prepared, state, setup, Visit(trial))
        return {name: getattr(record, name) for name in VERDICT_FIELDS}

    return prepared.compile(judge=judge)
