"""One episode as a compiled LangGraph: agent, user and environment in turns (paper section 3.3)."""

from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, NamedTuple

from langgraph.checkpoint.base import BaseCheckpointSaver

from crab_graph.agents.adapters import Agent, AgentSpec, resolve_agent
from crab_graph.graph.limits import Limits
from crab_graph.graph.nodes import EpisodeNodes
from crab_graph.graph.person import PERSON, PERSON_AGENT
from crab_graph.graph.shape import EpisodeGraph, graph_of
from crab_graph.graph.user_settings import Engine, UserSettings
from crab_graph.graph.users import UserSide, UserSpec, build_user, condition_name
from crab_graph.models.prices import NO_PRICES, Prices
from crab_graph.models.usage import PARTIES
from crab_graph.schema import digest
from crab_graph.tools.toolset import Toolset

if TYPE_CHECKING:
    from crab_graph.domains.task import Task

_DEFAULT_LIMITS = Limits()
_DEFAULT_SETTINGS = UserSettings()
_LONGEST_ID = 16


class PreparedEpisode(NamedTuple):
    """An episode that is ready to be run.

    Attributes:
        graph: The compiled graph.
        agent: Its agent.
        user: Its user.
        spec: Hash of all that determines it; threads and resumed states are told apart by it.
    """

    graph: EpisodeGraph
    agent: Agent
    user: UserSide
    spec: str


def build_graph(
    task: "Task",
    agent: AgentSpec,
    user: UserSpec = "ruse",
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    *,
    seed: int = 0,
    trial: int = 0,
    limits: Limits = _DEFAULT_LIMITS,
    settings: UserSettings = _DEFAULT_SETTINGS,
    prices: Prices = NO_PRICES,
    toolset: str | None = None,
) -> EpisodeGraph:
    """Return one episode as a compiled LangGraph; `invoke({}, config)` runs it.

    With a checkpointer an episode that stopped goes on with `invoke(None, config)`; replies of
    models and callables are kept beside its checkpoints, and none is asked for twice.

    Args:
        task: The task.
        agent: A spec, a chat model, a compiled graph, a `Runnable`, or a callable.
        user: A condition, or a callable.
        checkpointer: Where LangGraph keeps its checkpoints, if anywhere.
        seed: Seed of the user.
        trial: Number of the trial.
        limits: When to stop.
        settings: What plays a condition; by default the rules.
        prices: Prices of models, for a limit on cost.
        toolset: The agent's tools: `parity` for the paper's, or `extended` to cancel and change any
            booking as well; by default the task's.
    """
    task = task.with_toolset(toolset)
    return prepare_episode(
        task, agent, user, checkpointer, seed, trial, limits, settings, prices=prices
    ).graph


def prepare_episode(
    task: "Task",
    agent: AgentSpec,
    user: UserSpec,
    checkpointer: BaseCheckpointSaver[Any] | None,
    seed: int,
    trial: int,
    limits: Limits,
    settings: UserSettings = _DEFAULT_SETTINGS,
    lineage: tuple[int, int] | None = None,
    prices: Prices = NO_PRICES,
) -> PreparedEpisode:
    """Resolve agent and user and compile the graph of one episode.

    For a fork `lineage` is the trial from which its user draws, and a number for drawing anew.
    """
    resolved = resolve_agent(agent)
    drawn, replica = lineage or (trial, 0)
    side = build_user(task, user, seed=seed, trial=drawn, replica=replica, settings=settings)
    named = [task.id, resolved.name, condition_name(user), side.engine, seed, trial]
    named += [] if lineage is None else list(lineage)
    named += [one for one in (side.model, side.prompt_sha256) if one is not None]
    if task.domain.toolset is not Toolset.PARITY:
        named.append(str(task.domain.toolset))
    spec = digest([*named, limits.model_dump()])[:_LONGEST_ID]
    registry = task.domain.registry()
    # What says the same when it is asked again needs no journal, and what a person typed rests in
    # the checkpoints.
    is_person = resolved is PERSON_AGENT
    repeats = {
        "agent": resolved.is_reference or is_person,
        "user": side.engine in {Engine.RULES, PERSON},
    }
    nodes = EpisodeNodes(
        world=lambda: task.world,
        tools=registry,
        policy=task.domain.policy(task.today),
        respond=resolved.open_for(registry, lambda: task.solutions),
        user=side,
        limits=limits,
        spec=spec,
        journal=checkpointer,
        sampled=[party for party in PARTIES if not repeats[party]],
        agent_context=copy_context if is_person else Context,
        prices=prices,
        specs={"agent": resolved.name, "user": side.model},
    )
    graph = graph_of(nodes, checkpointer, limits.recursion_limit)
    return PreparedEpisode(graph, resolved, side, spec)
