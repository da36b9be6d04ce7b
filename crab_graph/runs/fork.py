"""Forks: a finished episode goes on from one of its turns with another agent, user or message."""

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from crab_graph.agents.adapters import resolve_agent
from crab_graph.agents.agent_types import AgentSpec
from crab_graph.domains.benchmark import load_benchmark
from crab_graph.errors import NoticeWarning, UsageError
from crab_graph.given_values import a_count, a_path
from crab_graph.graph.restart import visible_ends
from crab_graph.graph.users import UserSpec, read_user, set_up
from crab_graph.models.hosts import keys_withheld
from crab_graph.models.secrets import MASK
from crab_graph.personas.condition import Condition
from crab_graph.runs.beginning import differences_allowed
from crab_graph.runs.config import CONFIG, ForkPoint, RunConfig, RunPath, read_config
from crab_graph.runs.origin import check_turn
from crab_graph.runs.owner import Authorship, authorship_of
from crab_graph.runs.record import EpisodeRecord, id_of
from crab_graph.runs.run import Run
from crab_graph.runs.runner import settings_of, sit
from crab_graph.runs.sitting import (
    PYTHON,
    Report,
    Sitting,
    known_now,
    prepare_sitting,
    trusting,
)
from crab_graph.runs.store import load_record
from crab_graph.runs.trust import check_trusted, is_among, named_in
from crab_graph.settings import (
    Engine,
    ForkKeywords,
    ForkSettings,
    RunSettings,
    SittingSettings,
    TrustSettings,
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
    at the beginning and after each episode, and `otherwise` are the fields of `ForkSettings`,
    `WorkSettings` and `TrustSettings` in `crab_graph.settings`.

    Raises:
        UntrustedRun: somebody else wrote the run, without `trust`.
        UsageError: the episode cannot go on after that turn, or not in that way.
        UnknownName: there is no such episode.
        ResumeMismatch: `out` holds a run with other settings.
    """
    given = {**otherwise, "agent": agent, "user": user}
    wanted = value_of(ForkSettings, given, WorkSettings, TrustSettings)
    work = value_of(WorkSettings, given, ForkSettings, TrustSettings)
    trust = value_of(TrustSettings, given, ForkSettings, WorkSettings)
    directory, name = a_path("a run", run), id_of(episode)
    record = load_record(directory, name)
    check_turn(record, a_count("turn", turn))
    point = ForkPoint(run=os.fspath(run), episode_id=name, turns=(turn,), said=wanted.say)
    source = Source(directory, record, point, trust)
    sitting = prepare_fork(source, a_path("out", out), wanted, work)
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


class Source(NamedTuple):
    """The episode that forks go on from, in its run, and how far that run is trusted."""

    run: Path
    record: EpisodeRecord
    point: ForkPoint
    trust: TrustSettings


def prepare_fork(source: Source, out: Path, otherwise: ForkSettings, work: WorkSettings) -> Sitting:
    """Return a sitting of a run of forks: the settings of the other run, and what is otherwise.

    Raises:
        UntrustedRun: somebody else wrote the other run, which is not trusted.
        UsageError: the other run's agent or user is a Python object that is not given again.
        ResumeMismatch: its benchmark is another one, or more in somebody else's.
        BenchmarkError: its benchmark is missing.
    """
    run, record, point, trust = source
    config = read_config(run)
    agent = (record.agent_spec or record.agent) if otherwise.agent is None else otherwise.agent
    if isinstance(agent, str) and _is_lost(agent):
        raise UsageError(f"{run}: its agent was not kept with its name; give it again")
    settings = _settings(run, config, record, otherwise)
    kept = [
        agent if otherwise.agent is None else None,
        settings.user_model if otherwise.user_model is None else None,
    ]
    is_changed = not is_among(config, kept)
    keyless = check_trusted(run, named_in(kept), trust, is_changed=is_changed)
    bench = load_benchmark(run / config.benchmark)
    bench.check_playable()
    _check_same(run, config, known_now(config, bench, settings), otherwise)
    fragments = set_up(settings).fragments
    user: Any = record.condition if otherwise.user is None else otherwise.user
    user = read_user(user, fragments)
    if otherwise.persona is not None:
        if not isinstance(user, Condition):
            raise UsageError("a persona is for conditions; a callable user has none")
        user = user.with_persona(otherwise.persona, fragments.added)
    terms = SittingSettings(**vars(work), prices=config.prices)
    with keys_withheld(keyless):
        sitting = prepare_sitting(out, bench, agent, user, settings, terms)
    sitting = trusting(sitting, run, trust, keyless)
    return replace(sitting, config=replace(sitting.config, fork=point), origin=record)


_GIVE_AGAIN = "give the agent again with `agent=`, or use what it was made with"


def _check_same(run: Path, config: RunConfig, now: RunConfig, otherwise: ForkSettings) -> None:
    """Compare what a run was made with and what is there, but for what is given otherwise.

    Of one's own run all but the benchmark may be another by now, for that is what a fork can show;
    it is said.

    Raises:
        ResumeMismatch: the benchmark is another one, or anything else of somebody else's run.
    """
    given = ["agent_sha256", "agent_parts"] if otherwise.agent is not None else []
    given += ["personas_sha256"] if otherwise.personas is not None else []
    now = replace(now, **{name: getattr(config, name) for name in given})
    is_own = authorship_of(run / CONFIG) is Authorship.WRITTEN
    may_differ = is_own and now.benchmark_sha256 == config.benchmark_sha256
    if differing := differences_allowed(run, config, now, may_differ, _GIVE_AGAIN):
        told = (f"{one['name']} {one['now']}, not {one['before']}" for one in differing)
        text = f"{run}: was made with what is another now: {'; '.join(told)}"
        warnings.warn(text, NoticeWarning, stacklevel=2)


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
