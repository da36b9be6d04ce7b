"""One episode as a compiled LangGraph: agent, user and environment in turns (paper section 3.3)."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Literal, NamedTuple, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph

from crab_graph.agents.adapters import Agent, resolve_agent
from crab_graph.agents.agent_types import AgentSpec
from crab_graph.agents.identity import Identity, check_name, identify, identify_all
from crab_graph.domains.task import Task, check_task
from crab_graph.graph.episode_graph import EpisodeGraph, Judge
from crab_graph.graph.nodes import EpisodeNodes
from crab_graph.graph.state import AgentInput, EpisodeState, is_finished
from crab_graph.graph.told import EPISODE, told
from crab_graph.graph.users import Setup, UserSide, UserSpec, build_user, set_up, user_objects
from crab_graph.models.prices import NO_PRICES, Prices
from crab_graph.schema import digest
from crab_graph.settings import EpisodeSettings, Limits, Toolset, value_of

Place = Literal["agent", "user", "environment", "__end__"]

_LONGEST_ID = 16


class Leg(NamedTuple):
    """Which episode of its task, agent and user one is.

    The lineage of a fork is the trial from which its user draws, and a number for drawing anew.
    """

    trial: int = 0
    lineage: tuple[int, int] | None = None


class PreparedEpisode(NamedTuple):
    """An episode that is ready to be run, as a graph or by calling its nodes in turn.

    `spec` is a hash of all that determines it; threads and resumed states are told apart by it.
    `unread` says what of an agent could not be read, so that it is told from others by nothing.
    """

    nodes: EpisodeNodes
    agent: Agent
    user: UserSide
    spec: str
    limits: Limits
    checkpointer: BaseCheckpointSaver[Any] | None
    about: Mapping[str, Any]
    unread: tuple[str, ...] = ()

    def named(self, name: str) -> "PreparedEpisode":
        """Return the same episode under another id."""
        return self._replace(about={**self.about, EPISODE: name})

    def compile(self, judge: Judge | None = None) -> EpisodeGraph:
        """Return its graph, which a judge grades where it is a node of another one."""
        graph = StateGraph(EpisodeState)
        graph.add_node("agent", told(self.nodes.agent), input_schema=AgentInput)
        graph.add_node("user", told(self.nodes.user))
        graph.add_node("environment", told(self.nodes.environment))
        graph.add_conditional_edges(START, route, ["user", "agent", "environment", END])
        graph.add_conditional_edges("agent", route, ["user", "environment", END])
        graph.add_conditional_edges("user", route, ["agent", "environment", END])
        graph.add_conditional_edges("environment", route, ["agent", "user", END])
        compiled = graph.compile(self.checkpointer, name="episode")
        # Each superstep adds a message; and a little slack for the last batch.
        steps = self.limits.max_messages + 10
        own: dict[str, Any] = {"about": self.about, "steps": steps, "judge": judge}
        return EpisodeGraph(**vars(compiled), **own, put_in=self.nodes.put_in)


def open_seats(
    task: Task, settings: Mapping[str, Any], prices: Prices = NO_PRICES
) -> tuple[Task, Setup]:
    """Return a task with the toolset of an episode's settings, and what these open.

    Raises:
        UsageError: a setting is out of range, or the task is none.
    """
    wanted = value_of(EpisodeSettings, settings)
    setup = set_up(wanted, prices)
    check_task(task)
    return task.with_toolset(wanted.toolset), setup


def prepare_episode(
    task: Task,
    agent: AgentSpec | Agent,
    user: UserSpec,
    checkpointer: BaseCheckpointSaver[Any] | None,
    setup: Setup,
    leg: Leg,
) -> PreparedEpisode:
    """Resolve agent and user of one episode of a task with its toolset."""
    task.check_playable()
    resolved, settings = resolve_agent(agent), setup.settings
    check_name(settings.name, resolved.name)
    drawn, replica = leg.lineage or (leg.trial, 0)
    side = build_user(task, user, setup, drawn, replica)
    named = [task.id, resolved.name, side.name, side.engine, settings.seed, leg.trial]
    named += leg.lineage or ()
    named += [one for one in (side.model, side.prompt_sha256) if one is not None]
    if task.domain.toolset is not Toolset.PARITY:
        named.append(str(task.domain.toolset))
    # Who runs many episodes tells their threads apart, and hands over an agent that is resolved.
    known = [] if checkpointer is None or isinstance(agent, Agent) else _made_of(agent, user, setup)
    named += [one.sha256 for one in known]
    spec = digest([*named, asdict(settings.limits)])[:_LONGEST_ID]
    about = {
        EPISODE: f"{task.id}.{side.name}.{leg.trial}",
        "task": task.id,
        "agent": settings.name or resolved.name,
        "user": side.name,
        "trial": leg.trial,
        "seed": settings.seed,
    }
    nodes = EpisodeNodes(task, resolved, side, setup, spec, checkpointer)
    unread = tuple(why for one in known for why in one.unread)
    limits = settings.limits
    return PreparedEpisode(nodes, resolved, side, spec, limits, checkpointer, about, unread)


def _made_of(agent: AgentSpec, user: UserSpec, setup: Setup) -> list[Identity]:
    """Return what makes an agent and a user that are objects."""
    mine = None if isinstance(agent, str) else identify(agent, setup.settings.name)
    theirs = identify_all(user_objects([user], setup.settings))
    return [one for one in (mine, theirs) if one is not None]


def route(state: EpisodeState) -> Place:
    """Return whose turn it is: the user's to open with, unless a state was handed in.

    Edges, not commands, so that a copied state knows it too.
    """
    return "__end__" if is_finished(state) else cast(Place, state.get("turn", "user"))
