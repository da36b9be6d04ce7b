"""Many episodes: a run is begun, or gone on with, as it was begun (paper section 4)."""

from collections.abc import Sequence
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crab_graph.errors import UnknownName, UsageError
from crab_graph.graph.limits import Limits, RunLimits
from crab_graph.graph.postgres import check_address
from crab_graph.graph.user_settings import Engine, UserSettings, user_settings
from crab_graph.models.prices import Prices, check_priced
from crab_graph.models.secrets import MASK, public_spec
from crab_graph.personas.fragment_set import load_fragments
from crab_graph.runs.disk import keeping
from crab_graph.runs.execution import Progress, Report, Sitting, execute
from crab_graph.runs.locks import hold_run
from crab_graph.runs.plan import select_tasks
from crab_graph.runs.run import Run, open_run
from crab_graph.runs.store import (
    CONFIG,
    RunConfig,
    begin_run,
    check_directory,
    read_config,
    read_origin,
)
from crab_graph.runs.versions import agent_sha256, code_sha256, versions
from crab_graph.workers import Executor

if TYPE_CHECKING:
    from crab_graph.agents.adapters import AgentSpec
    from crab_graph.domains.benchmark import Benchmark
    from crab_graph.graph.users import UserSpec

__all__ = ["Progress", "check_counts", "model_name", "resume_run", "run"]

PYTHON_PREFIX = "python:"
PERSON = "person"
"""How a person in a seat is recorded."""

_DEFAULT_LIMITS = Limits()


def run(
    bench: "Benchmark | str | Path",
    agent: "AgentSpec",
    user: "UserSpec | Sequence[UserSpec]" = "ruse",
    trials: int = 1,
    out: str | Path = "run",
    *,
    seed: int = 0,
    tasks: Sequence[str] | None = None,
    jobs: int = 1,
    concurrency: int = 1,
    executor: str = "processes",
    checkpoint: str | None = None,
    limits: Limits = _DEFAULT_LIMITS,
    force: bool = False,
    allow_mismatch: bool = False,
    progress: Report | None = None,
    engine: str = "rules",
    user_model: Any = None,
    personas: str | Path | None = None,
    prices: Prices | None = None,
    run_limits: RunLimits | None = None,
    toolset: str | None = None,
) -> Run:
    """Run an agent on the tasks of a benchmark, and grade every episode.

    The same call on the same directory goes on where an earlier one stopped.

    Args:
        bench: The benchmark, or its directory.
        agent: A spec, a chat model, a compiled graph, a `Runnable`, or a callable.
        user: A condition, a callable, or several of them.
        trials: Episodes of each task with each user.
        out: Directory of the run.
        seed: Seed of the users.
        tasks: Ids of tasks, or strata such as `S1`; by default all.
        jobs: Number of processes; more than one needs an agent and users named by text.
        concurrency: Episodes at once in each process.
        executor: `processes` of this machine, or actors of `ray`, which need names likewise.
        checkpoint: Address of a PostgreSQL database for checkpoints; by default they are files.
        limits: When episodes stop.
        force: Throw away a run with other settings in the same directory.
        allow_mismatch: Go on with it: what is finished stays, the rest is done as asked for now.
        progress: Called at the beginning and after each episode.
        engine: What plays a condition: `rules`, `llm` for a model, or `hybrid` for both.
        user_model: The model of the other two: a spec, or a chat model.
        personas: Directory with prompt fragments that replace or extend the built-in ones.
        prices: Prices of models, to count costs with; by default those of an earlier sitting.
        run_limits: When no further episode is begun.
        toolset: The agent's tools: `parity` for the paper's, or `extended` to cancel and change any
            booking as well; by default the benchmark's.

    Raises:
        UsageError: an argument is out of range, or names nothing.
        ResumeMismatch: the directory holds a run with other settings.
        RunError: it holds something else, or another process works on it.
        StorageError: the disk is full.
    """
    sitting = prepare_run(
        bench,
        agent,
        user,
        trials,
        out,
        seed=seed,
        tasks=tasks,
        jobs=jobs,
        concurrency=concurrency,
        executor=executor,
        checkpoint=checkpoint,
        limits=limits,
        progress=progress,
        engine=engine,
        user_model=user_model,
        personas=personas,
        prices=prices,
        run_limits=run_limits,
        toolset=toolset,
    )
    directory, config = sitting.directory, sitting.config
    with keeping(directory):
        directory.mkdir(parents=True, exist_ok=True)
        with hold_run(directory):
            begin_run(directory, config, force=force, allow_mismatch=allow_mismatch)
            execute(sitting)
    return open_run(directory)


def prepare_run(
    bench: "Benchmark | str | Path",
    agent: "AgentSpec",
    user: "UserSpec | Sequence[UserSpec]" = "ruse",
    trials: int = 1,
    out: str | Path = "run",
    *,
    seed: int = 0,
    tasks: Sequence[str] | None = None,
    jobs: int = 1,
    concurrency: int = 1,
    executor: str = "processes",
    checkpoint: str | None = None,
    limits: Limits = _DEFAULT_LIMITS,
    progress: Report | None = None,
    engine: str = "rules",
    user_model: Any = None,
    personas: str | Path | None = None,
    prices: Prices | None = None,
    run_limits: RunLimits | None = None,
    toolset: str | None = None,
) -> Sitting:
    """Return all that a sitting of a run needs; arguments and errors as for `run`.

    Nothing is written.
    """
    from crab_graph.agents.adapters import resolve_agent  # noqa: PLC0415  (loads LangChain)
    from crab_graph.domains.benchmark import Benchmark, load_benchmark  # noqa: PLC0415

    check_counts(trials=trials, jobs=jobs, concurrency=concurrency)
    directory = Path(out)
    check_directory(directory)
    folder = None if personas is None else Path(personas)
    settings = user_settings(engine, user_model, load_fragments(folder))
    bench = bench if isinstance(bench, Benchmark) else load_benchmark(bench)
    bench = bench.with_toolset(toolset)
    settings.pieces.check_facts(bench.domain.fact_keys)
    users = _parsed(tuple(user) if isinstance(user, list | tuple) else (user,), settings)
    named = isinstance(agent, str) and isinstance(user_model, str | None)
    doer = _executor(executor)
    is_here = jobs == 1 and doer is Executor.PROCESSES
    if not is_here and not (named and all(map(_is_named, users))):
        words = "jobs > 1" if doer is Executor.PROCESSES else "executor ray"
        raise UsageError(f"with {words} name agent and user by text: objects stay in this process")
    config = RunConfig(
        benchmark=relpath(bench.directory, directory),
        benchmark_sha256=bench.sha256,
        agent=resolve_agent(agent).name,
        toolset=str(bench.toolset),
        users=_names(users),
        user_engine=str(settings.engine) if all(map(_is_named, users)) else "python",
        user_model=model_name(settings),
        personas=None if folder is None else relpath(folder, directory),
        personas_sha256=settings.pieces.sha256,
        seed=seed,
        trials=trials,
        tasks=select_tasks(bench, tasks),
        limits=limits,
        versions=versions(),
        code_sha256=code_sha256(),
        agent_sha256=agent_sha256(agent),
        checkpoint=None if checkpoint is None else public_spec(check_address(checkpoint)),
    )
    config = with_terms(directory, config, prices, run_limits)
    return Sitting(
        directory,
        config,
        bench,
        agent,
        users,
        settings,
        jobs,
        concurrency,
        doer,
        checkpoint,
        progress,
    )


def resume_run(
    path: str | Path,
    *,
    jobs: int = 1,
    concurrency: int = 1,
    executor: str = "processes",
    checkpoint: str | None = None,
    allow_mismatch: bool = False,
    progress: Report | None = None,
    prices: Prices | None = None,
    run_limits: RunLimits | None = None,
) -> Run:
    """Finish a run that stopped anywhere.

    Args:
        path: Directory of the run.
        jobs: Number of processes.
        concurrency: Episodes at once in each process.
        executor: `processes` of this machine, or actors of `ray`.
        checkpoint: Address of the database with its checkpoints; by default where they were.
        allow_mismatch: Go on although the benchmark, the agent's code, the prompt fragments, or the
            version of crab-graph or LangGraph is another one.
        progress: Called at the beginning and after each episode.
        prices: Prices of models; by default those that it was last worked on with.
        run_limits: When no further episode is begun; by default the caps it has.

    Raises:
        RunError: there is no run, its benchmark is missing, or another process works on it.
        ResumeMismatch: one of these is another one, without `allow_mismatch`.
        StorageError: the disk is full.
        UsageError: the run's agent or user was given as a Python object or with credentials.
    """
    from crab_graph.agents.adapters import resolve_agent  # noqa: PLC0415  (loads LangChain)
    from crab_graph.domains.benchmark import load_benchmark  # noqa: PLC0415

    check_counts(jobs=jobs, concurrency=concurrency)
    directory = Path(path)
    config = read_config(directory)
    model = config.user_model or ""
    is_object = any(name.startswith(PYTHON_PREFIX) for name in (config.agent, model))
    if is_object or config.user_engine == "python":
        raise UsageError(f"{directory}: made with Python objects; call crab_graph.run again")
    if MASK in config.agent or MASK in model:
        raise UsageError(
            f"{directory}: the address of its agent or user has credentials, which are not kept; "
            "give the same `crab-graph run` command again"
        )
    if PERSON in {config.agent, config.user_engine}:
        raise UsageError(f"{directory}: a person plays in it; go on with the same `play` command")
    doer = _executor(executor)
    address = _database(directory, config, checkpoint)
    bench = load_benchmark(directory / config.benchmark).with_toolset(config.toolset)
    resolve_agent(config.agent)  # imports its module, whose source is compared
    folder = None if config.personas is None else directory / config.personas
    settings = user_settings(config.user_engine, config.user_model, load_fragments(folder))
    now = {
        "benchmark_sha256": bench.sha256,
        "versions": versions(),
        "personas_sha256": settings.pieces.sha256,
        "code_sha256": code_sha256(),
        "agent_sha256": agent_sha256(config.agent),
        "checkpoint": None if address is None else public_spec(address),
    }
    asked = config.model_copy(update=now)
    asked = with_terms(directory, asked, prices, run_limits or config.run_limits)
    users, agent = _parsed(config.users, settings), config.agent
    sitting = Sitting(
        directory,
        asked,
        bench,
        agent,
        users,
        settings,
        jobs,
        concurrency,
        doer,
        address,
        progress,
        read_origin(directory) if config.fork else None,
    )
    with keeping(directory), hold_run(directory):
        hint = "go on all the same with --allow-mismatch"
        begin_run(directory, asked, allow_mismatch=allow_mismatch, hint=hint)
        execute(sitting)
    return open_run(directory)


def with_terms(
    directory: Path, config: RunConfig, prices: Prices | None, run_limits: RunLimits | None
) -> RunConfig:
    """Return a run's configuration with its prices and its caps.

    Raises:
        UsageError: a cap on cost has no prices to go by.
    """
    known = prices
    if known is None and (directory / CONFIG).exists():
        known = read_config(directory).prices
    capped = [config.limits.max_cost, None if run_limits is None else run_limits.max_cost]
    if any(cap is not None for cap in capped):
        check_priced(known, [config.agent, config.user_model])
    return config.model_copy(update={"prices": known, "run_limits": run_limits})


def check_counts(**counts: int) -> None:
    """Refuse numbers below one.

    Raises:
        UsageError: one is; the message names it.
    """
    for name, value in counts.items():
        if value < 1:
            raise UsageError(f"{name} must be 1 or more, not {value}")


def _executor(name: str) -> Executor:
    if name not in {*Executor}:
        raise UnknownName("executor", name, map(str, Executor))
    return Executor(name)


def _database(directory: Path, config: RunConfig, checkpoint: str | None) -> str | None:
    """Return the address of the database with a run's checkpoints, if it has one."""
    address = checkpoint or config.checkpoint
    if address is None:
        return None
    if MASK in address:
        raise UsageError(
            f"{directory}: its checkpoints are in {address}, whose login is not kept; "
            "give the address with --checkpoint"
        )
    return check_address(address)


def _names(users: tuple[Any, ...]) -> tuple[str, ...]:
    """Return what the users' episodes are filed under."""
    from crab_graph.graph.users import condition_name  # noqa: PLC0415  (loads LangChain)

    names = tuple(map(condition_name, users))
    if not names or len(set(names)) < len(names):
        raise UsageError("name one user, or several that differ")
    return names


def _parsed(users: tuple[Any, ...], settings: UserSettings) -> tuple[Any, ...]:
    """Return users with conditions read, which may name personas that files added."""
    from crab_graph.personas.condition import parse_condition  # noqa: PLC0415

    added = settings.pieces.added
    return tuple(parse_condition(one, added) if isinstance(one, str) else one for one in users)


def model_name(settings: UserSettings) -> str | None:
    """Return what the users' model is recorded as; refuse now one that cannot be opened."""
    from crab_graph.graph.users import with_open_model  # noqa: PLC0415  (loads LangChain)

    if settings.engine is Engine.RULES:
        return None
    name: str = with_open_model(settings).model.name
    return name


def _is_named(user: Any) -> bool:
    from crab_graph.personas.condition import Condition  # noqa: PLC0415

    return isinstance(user, str | Condition)
