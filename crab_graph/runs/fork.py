"""Forks: a finished episode goes on from one of its turns with another agent, user or message."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crab_graph.errors import UsageError
from crab_graph.graph.user_settings import UserSettings, user_settings
from crab_graph.models.secrets import MASK
from crab_graph.personas.fragment_set import load_fragments
from crab_graph.runs.disk import keeping
from crab_graph.runs.execution import Report, Sitting, execute
from crab_graph.runs.locks import hold_run
from crab_graph.runs.origin import check_turn
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run, open_run
from crab_graph.runs.runner import PYTHON_PREFIX, check_counts, model_name
from crab_graph.runs.store import (
    CONFIG,
    ForkPoint,
    RunConfig,
    begin_run,
    check_directory,
    keep_origin,
    load_record,
    read_config,
)
from crab_graph.runs.versions import agent_sha256, code_sha256, versions

if TYPE_CHECKING:
    from crab_graph.agents.adapters import AgentSpec
    from crab_graph.graph.users import UserSpec

CUSTOM = "custom"
_HINT = "start over with --force, or use another directory"


@dataclass(frozen=True, slots=True)
class Otherwise:
    """What is another one in the continuation; `None` keeps what it was.

    Attributes:
        agent: The agent.
        user: The user: a condition, or a callable.
        persona: The user's persona.
        engine: What plays the user.
        user_model: The model that does.
    """

    agent: "AgentSpec | None" = None
    user: "UserSpec | None" = None
    persona: str | None = None
    engine: str | None = None
    user_model: Any = None


def fork_episode(
    run: str | Path,
    episode: str,
    turn: int,
    out: str | Path,
    *,
    agent: "AgentSpec | None" = None,
    user: "UserSpec | None" = None,
    persona: str | None = None,
    engine: str | None = None,
    user_model: Any = None,
    say: str | None = None,
    trials: int = 1,
    jobs: int = 1,
    concurrency: int = 1,
    force: bool = False,
    progress: Report | None = None,
) -> Run:
    """Go on with a finished episode from one of its turns, in a run of its own.

    What is not given stays as it was. With nothing else given the continuation of a party that
    always answers alike is the one it had; further trials draw anew what the user draws.

    Args:
        run: Directory of the run.
        episode: Id of the episode.
        turn: After how many visible messages; 0 for the beginning.
        out: Directory of the new run.
        agent: Another agent.
        user: Another user.
        persona: Another persona for the user.
        engine: Another engine for the user.
        user_model: Another model for it.
        say: What whoever is next says first.
        trials: How often it goes on.
        jobs: Number of processes.
        concurrency: Episodes at once in each.
        force: Throw away forks with other settings in `out`.
        progress: Called at the beginning and after each episode.

    Raises:
        UsageError: the episode cannot go on after that turn, or not in that way.
        UnknownName: there is no such episode.
        ResumeMismatch: `out` holds a run with other settings.
    """
    check_counts(trials=trials, jobs=jobs, concurrency=concurrency)
    record = load_record(Path(run), episode)
    check_turn(record, turn)
    point = ForkPoint(run=str(run), episode_id=episode, turns=(turn,), said=say)
    sitting = prepare_fork(
        Path(run),
        record,
        point,
        Path(out),
        Otherwise(agent, user, persona, engine, user_model),
        trials,
    )
    sitting = replace(sitting, jobs=jobs, concurrency=concurrency, report=progress)
    begin_fork(sitting, force=force)
    return open_run(out)


def begin_fork(sitting: Sitting, *, may_grow: bool = False, force: bool = False) -> None:
    """Run what is missing of a run of forks, of which more trials may be wanted than before.

    Raises:
        UsageError: its parties are objects, which stay in this process.
        ResumeMismatch: the directory holds a run with other settings.
    """
    directory, origin = sitting.directory, sitting.origin
    named = not sitting.config.agent.startswith(PYTHON_PREFIX)
    if sitting.jobs > 1 and not (named and sitting.config.user_engine != "python"):
        raise UsageError("with jobs > 1 name agent and user by text: objects stay in this process")
    check_directory(directory)
    with keeping(directory):
        directory.mkdir(parents=True, exist_ok=True)
        with hold_run(directory):
            grows = may_grow and _wants_more(directory, sitting.config)
            if origin is not None and (force or not (directory / CONFIG).exists()):
                keep_origin(directory, origin)
            begin_run(directory, sitting.config, force=force, allow_mismatch=grows, hint=_HINT)
            execute(sitting)


def prepare_fork(
    run: Path,
    record: EpisodeRecord,
    point: ForkPoint,
    out: Path,
    otherwise: Otherwise,
    trials: int,
) -> Sitting:
    """Return a sitting of a run of forks: the settings of the other run, and what is otherwise.

    Raises:
        UsageError: the other run's agent or user is a Python object that is not given again.
        BenchmarkError: its benchmark is missing.
    """
    from crab_graph.agents.adapters import resolve_agent  # noqa: PLC0415  (loads LangChain)
    from crab_graph.domains.benchmark import load_benchmark  # noqa: PLC0415
    from crab_graph.graph.users import condition_name  # noqa: PLC0415

    config = read_config(run)
    bench = load_benchmark(run / config.benchmark).with_toolset(record.toolset)
    agent = record.agent if otherwise.agent is None else otherwise.agent
    if isinstance(agent, str) and (agent.startswith(PYTHON_PREFIX) or MASK in agent):
        raise UsageError(f"{run}: its agent was not kept with its name; give it again")
    settings = _settings(run, config, record, otherwise)
    user = _user(record, otherwise, settings)
    fields = {
        "benchmark": relpath(bench.directory, out),
        "benchmark_sha256": bench.sha256,
        "agent": resolve_agent(agent).name,
        "agent_sha256": agent_sha256(agent),
        "toolset": record.toolset,
        "users": (condition_name(user),),
        "user_engine": "python" if condition_name(user) == CUSTOM else str(settings.engine),
        "user_model": model_name(settings),
        "personas": None if config.personas is None else relpath(run / config.personas, out),
        "personas_sha256": settings.pieces.sha256,
        "trials": trials,
        "tasks": (record.task_id,),
        "versions": versions(),
        "code_sha256": code_sha256(),
        "checkpoint": None,
        "run_limits": None,
        "fork": point,
        "mismatches": (),
    }
    made = config.model_copy(update=fields)
    return Sitting(out, made, bench, agent, (user,), settings, origin=record)


def _wants_more(directory: Path, asked: RunConfig) -> bool:
    """Return whether nothing but the number of trials is another one."""
    if not (directory / CONFIG).exists():
        return False
    return [one["name"] for one in read_config(directory).differences(asked)] == ["trials"]


def _settings(
    run: Path, config: RunConfig, record: EpisodeRecord, otherwise: Otherwise
) -> UserSettings:
    folder = None if config.personas is None else run / config.personas
    engine = otherwise.engine or _engine(record, otherwise)
    model = otherwise.user_model
    if model is None and engine != "rules":
        model = record.user_model
    if isinstance(model, str) and (model.startswith(PYTHON_PREFIX) or MASK in model):
        raise UsageError(f"{run}: the user's model was not kept with its name; give it again")
    return user_settings(engine, model, load_fragments(folder))


def _engine(record: EpisodeRecord, otherwise: Otherwise) -> str:
    if not record.user_engine.startswith(PYTHON_PREFIX):
        return record.user_engine
    if otherwise.user is None:
        raise UsageError(f"episode '{record.episode_id}' had a Python user; give it again")
    return "rules"


def _user(record: EpisodeRecord, otherwise: Otherwise, settings: UserSettings) -> Any:
    from crab_graph.personas.condition import Condition, parse_condition  # noqa: PLC0415

    user = record.condition if otherwise.user is None else otherwise.user
    added = settings.pieces.added
    if isinstance(user, str):
        user = parse_condition(user, added)
    if otherwise.persona is None:
        return user
    if not isinstance(user, Condition):
        raise UsageError("a persona is for conditions; a callable user has none")
    return user.with_persona(otherwise.persona, added)


def fork_points(record: EpisodeRecord) -> Sequence[int]:
    """Return the turns after which an episode can go on, from 0.

    Raises:
        UsageError: what a fork needs of it was not kept.
    """
    from crab_graph.graph.restart import visible_ends  # noqa: PLC0415  (loads LangGraph)

    check_turn(record, 0)
    turns = range(len(visible_ends(record.messages)))
    return turns[:-1] if len(turns) > 1 else turns
