"""One episode as a compiled LangGraph: agent, user and environment in turns (paper section 3.3)."""

from contextvars import Context, copy_context
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from langgraph.checkpoint.base import BaseCheckpointSaver

from crab_graph.agents.adapters import Agent, AgentSpec, resolve_agent
from crab_graph.graph.nodes import EpisodeNodes
from crab_graph.graph.person import PERSON, PERSON_AGENT
from crab_graph.graph.setup import Setup, set_up
from crab_graph.graph.shape import EpisodeGraph, graph_of
from crab_graph.graph.users import UserSide, UserSpec, build_user, condition_name
from crab_graph.models.prices import NO_PRICES, Prices
from crab_graph.models.usage import PARTIES
from crab_graph.schema import digest
from crab_graph.settings import Engine, EpisodeKeywords, EpisodeSettings, Toolset, value_of

if TYPE_CHECKING:
    from crab_graph.domains.task import Task

_LONGEST_ID = 16


class Leg(NamedTuple):
    """Which episode of its task, agent and user one is.

    Attributes:
        trial: Number of the trial.
        lineage: For a fork the trial from which its user draws, and a number for drawing anew.
    """

    trial: int = 0
    lineage: tuple[int, int] | None = None


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
    trial: int = 0,
    prices: Prices = NO_PRICES,
    **settings: Unpack[EpisodeKeywords],
) -> EpisodeGraph:
    """Return one episode as a compiled LangGraph; `invoke({}, config)` runs it.

    With a checkpointer an episode that stopped goes on with `invoke(None, config)`; replies of
    models and callables are kept beside its checkpoints, and none is asked for twice.

    Args:
        task: The task.
        agent: A spec, a chat model, a compiled graph, a `Runnable`, or a callable.
        user: A condition, or a callable.
        checkpointer: Where LangGraph keeps its checkpoints, if anywhere.
        trial: Number of the trial.
        prices: Prices of models, for a limit on cost.
        settings: The fields of `crab_graph.settings.EpisodeSettings`.

    Raises:
        UsageError: a setting is out of range, or the agent or the user is none.
    """
    wanted = value_of(EpisodeSettings, settings)
    setup = set_up(wanted, prices)
    task = task.with_toolset(wanted.toolset)
    return prepare_episode(task, agent, user, checkpointer, setup, Leg(trial)).graph


def prepare_episode(
    task: "Task",
    agent: AgentSpec,
    user: UserSpec,
    checkpointer: BaseCheckpointSaver[Any] | None,
    setup: Setup,
    leg: Leg,
) -> PreparedEpisode:
    """Resolve agent and user and compile the graph of one episode of a task with its toolset."""
    resolved, settings = resolve_agent(agent), setup.settings
    drawn, replica = leg.lineage or (leg.trial, 0)
    side = build_user(task, user, setup, drawn, replica)
    named = [task.id, resolved.name, condition_name(user), side.engine, settings.seed, leg.trial]
    named += leg.lineage or ()
    named += [one for one in (side.model, side.prompt_sha256) if one is not None]
    if task.domain.toolset is not Toolset.PARITY:
        named.append(str(task.domain.toolset))
    spec = digest([*named, asdict(settings.limits)])[:_LONGEST_ID]
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
        limits=settings.limits,
        spec=spec,
        journal=checkpointer,
        sampled=[party for party in PARTIES if not repeats[party]],
        agent_context=copy_context if is_person else Context,
        prices=setup.prices,
        specs={"agent": resolved.name, "user": side.model},
    )
    graph = graph_of(nodes, checkpointer, settings.limits.recursion_limit)
    return PreparedEpisode(graph, resolved, side, spec)
