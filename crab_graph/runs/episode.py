"""One episode from its opening to its verdict (paper sections 3.3 and 3.4)."""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Unpack

from langgraph.checkpoint.base import BaseCheckpointSaver

from crab_graph.agents.adapters import Agent
from crab_graph.agents.agent_types import AgentSpec
from crab_graph.agents.identity import playing, untold
from crab_graph.domains.task import Task
from crab_graph.errors import ResumeMismatch
from crab_graph.eval.gradable import ended_by
from crab_graph.eval.user_facts import UserConduct
from crab_graph.given_values import a_count
from crab_graph.graph.accounts import costs_of, lost_usage, usage_by_party
from crab_graph.graph.build import Leg, PreparedEpisode, open_seats, prepare_episode
from crab_graph.graph.restart import hidden_state
from crab_graph.graph.state import Ending, Status, is_finished, transcript_of
from crab_graph.graph.told import traced_if_asked
from crab_graph.graph.users import Setup, UserSpec, user_objects
from crab_graph.models.prices import NO_PRICES, Prices
from crab_graph.models.secrets import shortened, without_secrets
from crab_graph.models.usage import PARTIES, Usage, add_usage, is_mock
from crab_graph.personas.briefing import How
from crab_graph.personas.error_reactions import reactions_of
from crab_graph.personas.second_thoughts import changes_said
from crab_graph.runs.grading import Breakdown, grade_fields
from crab_graph.runs.origin import Origin
from crab_graph.runs.plan import episode_id
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.step_costs import measured_seconds, tool_costs
from crab_graph.runs.surroundings import undisturbed
from crab_graph.settings import EpisodeKeywords


class Visit(NamedTuple):
    """Which time an episode is begun or gone on with, and where it is kept.

    `attempts` counts this time too; `lost_usage` is what models took, by party, in steps of earlier
    attempts that failed.
    """

    trial: int = 0
    checkpointer: BaseCheckpointSaver[Any] | None = None
    thread_id: str | None = None
    attempts: int = 1
    lost_usage: Mapping[str, Usage] = MappingProxyType({})
    origin: Origin | None = None


def run_episode(
    task: Task,
    agent: AgentSpec,
    user: UserSpec = "ruse",
    *,
    trial: int = 0,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    thread_id: str | None = None,
    prices: Prices = NO_PRICES,
    **settings: Unpack[EpisodeKeywords],
) -> EpisodeRecord:
    """Let an agent work on a task with a user, and grade what came of it.

    The agent is a spec, a chat model, a compiled graph, a `Runnable` or a callable, the user a
    condition or a callable, and `settings` are the fields of `crab_graph.settings.EpisodeSettings`.
    The checkpointer is where LangGraph keeps the episode: one that stopped there goes on where it
    stopped, and a finished one is graded as it stands. By default the name of the thread there
    tells task, agent, user and seed. Costs are counted with the prices of models.

    Raises:
        UsageError: a setting is out of range, or the agent or the user is none.
        BenchmarkError: another version of the domain made the task.
        ResumeMismatch: the thread holds an episode that was begun with something else.
    """
    task, setup = open_seats(task, settings, prices)
    visit = Visit(a_count("trial", trial), checkpointer, thread_id)
    players = [] if checkpointer is None else [agent, *user_objects([user], setup.settings)]
    with playing(*players):
        return play_episode(task, agent, user, setup, visit)


def play_episode(
    task: Task, agent: AgentSpec | Agent, user: UserSpec, setup: Setup, visit: Visit
) -> EpisodeRecord:
    """Play an episode of a task that has its toolset; errors as for `run_episode`."""
    trial, origin = visit.trial, visit.origin
    leg = Leg(trial, None if origin is None else origin.lineage(trial))
    prepared = prepare_episode(task, agent, user, visit.checkpointer, setup, leg)
    start = {} if origin is None else origin.start(task, prepared.spec)
    prepared = prepared.named(_name(task, prepared, visit))
    with undisturbed(), traced_if_asked(asks_models=prepared.nodes.asks_models):
        if visit.checkpointer is None:
            state = _last_state(prepared.compile().stream(start, stream_mode="values"))
        else:
            thread = visit.thread_id or f"{_name(task, prepared, visit)}.{prepared.spec}"
            state = _play(prepared, thread, start)
    return record_of(task, prepared, _without_question(state), setup, visit)


def _without_question(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state as broken down where the agent waits for a person: a run has none."""
    if not (asked := state.get("__interrupt__")):
        return dict(state)
    question = shortened(without_secrets(" ".join(repr(asked[0].value).split())))
    error = (
        f"the agent stopped with interrupt({question}) and waits for a person: let it decide by "
        "itself, or play the task where somebody answers (crab-graph play, build_graph)"
    )
    ending = Ending(reason="agent_interrupt", fault="infra", error=error)
    return {**state, "status": str(Status.INFRA_ERROR), "ending": ending}


def record_of(
    task: Task,
    prepared: PreparedEpisode,
    state: Mapping[str, Any],
    setup: Setup,
    visit: Visit,
) -> EpisodeRecord:
    """Grade an episode whose last state this is, however it was played."""
    origin = visit.origin
    about = {
        "episode_id": _name(task, prepared, visit),
        "condition": prepared.user.name,
        "trial": visit.trial,
        "seed": setup.settings.seed,
        "attempts": visit.attempts,
        "forked_from": None if origin is None else origin.as_json(),
    }
    spec, shown = prepared.agent.name, setup.settings.name
    about |= {"agent": shown or spec, "agent_spec": spec if shown else None}
    about |= _spending(prepared, state, setup.prices, visit.lost_usage)
    return _record(task, prepared, state, about)


def _name(task: Task, prepared: PreparedEpisode, visit: Visit) -> str:
    turn = None if visit.origin is None else visit.origin.turn
    return episode_id(task.id, prepared.user.name, visit.trial, turn)


def trace_of(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tool calls of an episode in the order in which they ran, with what they wrote.

    What they returned stands in the messages alone: it is most of what an episode weighs. Who made
    a call in place, where that is known, is its `caller`.
    """
    lines = [*state.get("messages", ()), *state.get("user_messages", ())]
    asked = {call["id"]: call for line in lines for call in line.get("tool_calls") or ()}
    callers = {
        call["id"]: {"caller": line["caller"]}
        for line in lines
        if "caller" in line
        for call in line["tool_calls"]
    }
    written: dict[int, list[dict[str, Any]]] = {}
    for event in state.get("events", ()):
        rest = {key: value for key, value in event.items() if key != "seq"}
        written.setdefault(event["seq"], []).append(rest)
    return [
        {
            "seq": line["seq"],
            "owner": line["owner"],
            "name": asked[line["tool_call_id"]]["name"],
            "tool_call_id": line["tool_call_id"],
            "error": json.loads(line["content"]).get("error"),
            "events": written.get(line["seq"], []),
            **callers.get(line["tool_call_id"], {}),
        }
        for line in sorted(lines, key=lambda line: line["seq"])
        if line["role"] == "tool"
    ]


def _play(prepared: PreparedEpisode, thread_id: str, start: Mapping[str, Any]) -> dict[str, Any]:
    """Run a thread to its end, wherever it stands.

    Whether it is over is read from its status: after a kill at a bad moment LangGraph itself takes
    an unfinished thread for a finished one. One that broke down, as when a connection was lost,
    goes on at the step that failed.
    """
    # Checkpoints are written by one thread, in order: a second one would only wait for the first.
    config: Any = {"configurable": {"thread_id": thread_id}, "max_concurrency": 1}
    graph, spec = prepared.compile(), prepared.spec
    snapshot = graph.get_state(config)
    stored: dict[str, Any] = snapshot.values
    begun = snapshot.created_at is not None  # with its input alone too: replies are kept for it
    if begun and stored.get("spec", spec) != spec:
        raise ResumeMismatch(
            f"thread '{thread_id}' holds an episode with another task, agent, user, seed or limit"
            + untold(prepared.unread)
        )
    if stored.get("status") == Status.INFRA_ERROR and snapshot.parent_config is not None:
        config = snapshot.parent_config
    elif begun and is_finished(stored):
        return stored
    given = None if begun else dict(start)
    return _last_state(graph.stream(given, config, durability="sync", stream_mode="values"))


def _last_state(states: Iterator[Any]) -> dict[str, Any]:
    # `invoke` would ask what changed at each step, too.
    last: dict[str, Any] = deque(states, maxlen=1).pop()
    return last


def _record(
    task: Task, prepared: PreparedEpisode, state: Mapping[str, Any], about: Mapping[str, Any]
) -> EpisodeRecord:
    messages = transcript_of(state)
    condition = prepared.user.condition
    ending = state["ending"]
    broken = state["status"] == Status.INFRA_ERROR
    breakdown = Breakdown(ending["fault"], ending["error"]) if broken else None
    user = state.get("user_state", {})
    faults = tuple(user.get("faults", ()))
    facts = _disclosures(_told_of(task, user), state)
    persona = "none" if condition is None else condition.persona_name
    dimensions = () if condition is None else tuple(map(str, condition.dimensions))
    conduct = UserConduct.from_record(persona, dimensions, facts)
    ended = "infra" if broken else ended_by(ending["reason"])
    graded = grade_fields(task, messages, ended, breakdown, faults, conduct)
    record = EpisodeRecord(
        **about,
        **graded,
        task_id=task.id,
        stratum=task.stratum,
        level=task.level,
        difficulties=task.difficulties,
        axes=dict(task.axes),
        persona=persona,
        dimensions=dimensions,
        toolset=str(task.domain.toolset),
        agent_is_reference=prepared.agent.is_reference or "agent" in about["mock_seats"],
        user_engine=prepared.user.engine,
        user_model=prepared.user.model,
        prompt_sha256=prepared.user.prompt_sha256,
        user_faults=faults,
        user_retries=user.get("retries", 0),
        over_disclosed=user.get("over_disclosed"),
        user_wordings={name: user[name] for name in _WORDINGS if name in user},
        termination=ending["reason"],
        facts=facts,
        messages=messages,
        trace=tuple(trace_of(state)),
        hidden=hidden_state(state),
    )
    took = {"seconds": measured_seconds(record), "tool_costs": tool_costs(record)}
    return record.model_copy(update=took)


def _spending(
    prepared: PreparedEpisode,
    state: Mapping[str, Any],
    prices: Prices,
    earlier: Mapping[str, Usage],
) -> dict[str, Any]:
    """Return the fields of a record that say what the models took, in all attempts."""
    spent = state.get("spent", {})
    lost = lost_usage(spent, earlier)
    known = usage_by_party(spent)
    usage = {
        party: add_usage(known.get(party, {}), lost.get(party, {}))
        for party in PARTIES
        if party in known or party in lost
    }
    specs = {"agent": prepared.agent.name, "user": prepared.user.model}
    costs = costs_of(usage, prices, specs)
    return {
        "usage": usage,
        "cost": {party: cost.dollars if cost.is_known else None for party, cost in costs.items()},
        "lost_usage": lost if state["status"] == "infra_error" else {},
        "mock_seats": tuple(party for party in usage if is_mock(usage[party])),
    }


def _told_of(task: Task, user: Mapping[str, Any]) -> Task:
    """Return the task as its user wants it in the end: who changed its mind says so."""
    return task.requests[len(changes_said(user))]


def _disclosures(task: Task, state: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return every fact of the user, with the turn and reason of its (first) disclosure.

    Beside them stand how it was said then, with the words where that was not plainly, and the turn
    that first said it exactly; what the user did about errors in it; and a wish that it took back
    later, as it was said, and when.
    """
    told: dict[str, Mapping[str, Any]] = {}
    settled: dict[str, int] = {}
    first: dict[str, dict[str, Any]] = {}
    for entry in state.get("user_state", {}).get("disclosed", ()):
        if entry.get("value") is not None:
            wish = {"value": entry["value"], "turn": entry["turn"], "reason": entry["reason"]}
            first.setdefault(entry["key"], {"first_wish": wish})
            continue
        told.setdefault(entry["key"], entry)
        if entry.get("how", How.EXACT) == How.EXACT:
            settled.setdefault(entry["key"], entry["turn"])
    errors = state.get("user_state", {}).get("errors", ())
    return tuple(
        {
            "key": fact.key,
            "slot": fact.slot,
            "level": str(fact.level),
            "turn": told.get(fact.key, {}).get("turn"),
            "reason": told.get(fact.key, {}).get("reason"),
            "how": told[fact.key].get("how", str(How.EXACT)) if fact.key in told else None,
            "said": told.get(fact.key, {}).get("said"),
            "settled": settled.get(fact.key),
            "reactions": reactions_of(errors, fact.key),
            **first.get(fact.key, {}),
        }
        for fact in task.facts
    )


_WORDINGS = ("worded", "replaced", "retries")
