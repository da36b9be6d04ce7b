"""Forks: a finished episode goes on from one of its turns with another agent, user or message."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from crab_graph.agents.adapters import resolve_agent
from crab_graph.agents.agent_types import AgentSpec
from crab_graph.domains.benchmark import load_benchmark
from crab_graph.errors import UsageError
from crab_graph.given_values import a_count, a_path
from crab_graph.graph.restart import visible_ends
from crab_graph.graph.users import UserSpec, read_user, set_up
from crab_graph.models.secrets import MASK
from crab_graph.personas.condition import Condition
from crab_graph.runs.config import CONFIG, ForkPoint, RunConfig, RunPath, read_config
from crab_graph.runs.origin import check_turn
from crab_graph.runs.record import EpisodeRecord, id_of
from crab_graph.runs.run import Run
from crab_graph.runs.runner import settings_of, sit
from crab_graph.runs.sitting import PYTHON, Report, Sitting, prepare_sitting
from crab_graph.runs.store import load_record
from crab_graph.settings import (
    Engine,
    ForkKeywords,
    ForkSettings,
    RunSettings,
    SittingSettings,
    WorkSettings,
    value_of,
)


def fork_episode(
    run: RunPath,
    episode: str | EpisodeRecord,
    turn: int,
    out: str | Path,
    *,
    agent: AgentSpec | None = None,
    user: UserSpec | None = None,
    force: bool = False,
    progress: Report | None = None,
    **otherwise: Unpack[ForkKeywords],
) -> Run:
    """Go on with a finished episode from one of its turns, in a run of its own in `out`.

    The episode is an `Episode` of the run, or its id. What is not given stays as it was. With
    nothing else given the continuation of a party that always answers alike is the one it had;
    further trials draw anew what the user draws. Turns are counted in visible messages, 0 is the
    beginning. With `force` forks with other settings in `out` are thrown away; `progress` is called
    at the beginning and after each episode, and `otherwise` are the fields of `ForkSettings` and
    `WorkSettings` in `crab_graph.settings`.

    Raises:
        UsageError: the episode cannot go on after that turn, or not in that way.
        UnknownName: there is no such episode.
        ResumeMismatch: `out` holds a run with other settings.
    """
    given = {**otherwise, "agent": agent, "user": user}
    wanted = value_of(ForkSettings, given, WorkSettings)
    work = value_of(WorkSettings, given, ForkSettings)
    directory, name = a_path("a run", run), id_of(episode)
    record = load_record(directory, name)
    check_turn(record, a_count("turn", turn))
    point = ForkPoint(run=os.fspath(run), episode_id=name, turns=(turn,), said=wanted.say)
    sitting = prepare_fork(directory, record, point, a_path("out", out), wanted, work)
    return begin_fork(sitting, progress, force=force)


def begin_fork(
    sitting: Sitting,
    report: Report | None = None,
    *,
    may_grow: bool = False,
    force: bool = False,
) -> Run:
    """Run what is missing of a run of forks, with more trials if it may grow; errors as `sit`."""
    grows = False
    if may_grow and (sitting.directory / CONFIG).exists():
        differing = read_config(sitting.directory).differences(sitting.config)
        grows = [one["name"] for one in differing] == ["trials"]
    hint = "start over with `force=True`, or use another directory"
    return sit(sitting, report, force=force, allow_mismatch=grows, hint=hint)


def prepare_fork(
    run: Path,
    record: EpisodeRecord,
    point: ForkPoint,
    out: Path,
    otherwise: ForkSettings,
    work: WorkSettings,
) -> Sitting:
    """Return a sitting of a run of forks: the settings of the other run, and what is otherwise.

    Raises:
        UsageError: the other run's agent or user is a Python object that is not given again.
        BenchmarkError: its benchmark is missing.
    """
    config = read_config(run)
    agent = (record.agent_spec or record.agent) if otherwise.agent is None else otherwise.agent
    if isinstance(agent, str) and _is_lost(agent):
        raise UsageError(f"{run}: its agent was not kept with its name; give it again")
    settings = _settings(run, config, record, otherwise)
    fragments = set_up(settings).fragments
    user: Any = record.condition if otherwise.user is None else otherwise.user
    user = read_user(user, fragments)
    if otherwise.persona is not None:
        if not isinstance(user, Condition):
            raise UsageError("a persona is for conditions; a callable user has none")
        user = user.with_persona(otherwise.persona, fragments.added)
    sitting = prepare_sitting(
        out,
        load_benchmark(run / config.benchmark),
        agent,
        user,
        settings,
        SittingSettings(**vars(work), prices=config.prices),
    )
    return replace(sitting, config=replace(sitting.config, fork=point), origin=record)


def _is_agent_of(record: EpisodeRecord, agent: AgentSpec | None) -> bool:
    return agent is None or resolve_agent(agent).name == record.agent_spec


def _is_lost(spec: str) -> bool:
    """Whether a spec is that of an object, or has credentials that were not kept."""
    return spec.startswith(f"{PYTHON}:") or MASK in spec


def _settings(
    run: Path, config: RunConfig, record: EpisodeRecord, otherwise: ForkSettings
) -> RunSettings:
    engine = otherwise.engine or record.user_engine
    if otherwise.engine is None and engine.startswith(f"{PYTHON}:"):
        if otherwise.user is None:
            raise UsageError(f"episode '{record.episode_id}' had a Python user; give it again")
        engine = Engine.RULES.value
    model = otherwise.user_model
    if model is None and engine != Engine.RULES:
        model = record.user_model
    if isinstance(model, str) and _is_lost(model):
        raise UsageError(f"{run}: the user's model was not kept with its name; give it again")
    name = otherwise.name
    if name is None and record.agent_spec is not None and _is_agent_of(record, otherwise.agent):
        name = record.agent
    changed = {
        "name": name,
        "engine": engine,
        "user_model": model,
        "toolset": record.toolset,
        "trials": otherwise.trials,
        "tasks": (record.task_id,),
    }
    if otherwise.personas is not None:
        changed["personas"] = otherwise.personas
    return settings_of(run, config, **changed)


def fork_points(record: EpisodeRecord) -> Sequence[int]:
    """Return the turns after which an episode can go on, from 0; errors as for `check_turn`."""
    check_turn(record, 0)
    turns = range(len(visible_ends(record.messages)))
    return turns[:-1] if len(turns) > 1 else turns
