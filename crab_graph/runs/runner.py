"""Many episodes: run what is missing, in threads and processes, and keep each as it is finished."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crab_graph.errors import ResumeMismatch, UsageError
from crab_graph.graph.limits import Limits
from crab_graph.graph.user_settings import Engine, UserSettings, user_settings
from crab_graph.models.secrets import MASK
from crab_graph.personas.fragment_set import load_fragments
from crab_graph.runs.locks import hold_run
from crab_graph.runs.plan import is_settled, plan_episodes, select_tasks
from crab_graph.runs.run import Run, open_run
from crab_graph.runs.store import (
    CHECKPOINTS,
    RunConfig,
    begin_run,
    check_directory,
    checkpoint_files,
    load_index,
    read_config,
)
from crab_graph.runs.versions import versions
from crab_graph.runs.worker import Job, open_worker
from crab_graph.schema import digest
from crab_graph.workers import run_parallel

if TYPE_CHECKING:
    from crab_graph.agents.adapters import AgentSpec
    from crab_graph.domains.benchmark import Benchmark
    from crab_graph.graph.users import UserSpec

PYTHON_PREFIX = "python:"

_DEFAULT_LIMITS = Limits()
_PRELOAD = ("crab_graph.runs.worker", "crab_graph.graph.build", "crab_graph.eval.verdict")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes:
        done: Episodes that are finished, those of earlier sittings included.
        total: Episodes in all.
        passed: Episodes among the finished ones that passed.
        last: Id of the episode that was finished just now; `None` at the beginning.
    """

    done: int
    total: int
    passed: int
    last: str | None = None


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
    limits: Limits = _DEFAULT_LIMITS,
    force: bool = False,
    progress: Callable[[Progress], None] | None = None,
    engine: str = "rules",
    user_model: Any = None,
    personas: str | Path | None = None,
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
        limits: When episodes stop.
        force: Throw away a run with other settings in the same directory.
        progress: Called at the beginning and after each episode.
        engine: What plays a condition: `rules`, `llm` for a model, or `hybrid` for both.
        user_model: The model of the other two: a spec, or a chat model.
        personas: Directory with prompt fragments that replace or extend the built-in ones.

    Raises:
        UsageError: an argument is out of range, or names nothing.
        ResumeMismatch: the directory holds a run with other settings.
        RunError: it holds something else, or another process works on it.
    """
    from crab_graph.agents.adapters import resolve_agent  # noqa: PLC0415  (loads LangChain)
    from crab_graph.domains.benchmark import Benchmark, load_benchmark  # noqa: PLC0415

    check_counts(trials=trials, jobs=jobs, concurrency=concurrency)
    directory = Path(out)
    check_directory(directory)
    folder = None if personas is None else Path(personas)
    settings = user_settings(engine, user_model, load_fragments(folder))
    bench = bench if isinstance(bench, Benchmark) else load_benchmark(bench)
    users = _parsed(tuple(user) if isinstance(user, list | tuple) else (user,), settings)
    named = isinstance(agent, str) and isinstance(user_model, str | None)
    if jobs > 1 and not (named and all(map(_is_named, users))):
        raise UsageError("with jobs > 1 name agent and user by text: objects stay in this process")
    config = RunConfig(
        benchmark=relpath(bench.directory, directory),
        benchmark_sha256=bench.sha256,
        agent=resolve_agent(agent).name,
        users=_names(users),
        user_engine=str(settings.engine) if all(map(_is_named, users)) else "python",
        user_model=_model_name(settings),
        personas=None if folder is None else relpath(folder, directory),
        personas_sha256=settings.pieces.sha256,
        seed=seed,
        trials=trials,
        tasks=select_tasks(bench, tasks),
        limits=limits,
        versions=versions(),
    )
    directory.mkdir(parents=True, exist_ok=True)
    with hold_run(directory):
        begin_run(directory, config, force=force)
        _execute(directory, config, bench, agent, users, settings, jobs, concurrency, progress)
    return open_run(directory)


def resume_run(
    path: str | Path,
    *,
    jobs: int = 1,
    concurrency: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> Run:
    """Finish a run that stopped anywhere.

    Raises:
        RunError: there is no run, its benchmark is missing, or another process works on it.
        ResumeMismatch: the benchmark, or the version of crab-graph or LangGraph, is another one.
        UsageError: the run's agent or user was given as a Python object or with credentials.
    """
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
    bench = load_benchmark(directory / config.benchmark)
    if bench.sha256 != config.benchmark_sha256:
        raise ResumeMismatch(f"{directory}: begun on other tasks than those in {bench.directory}")
    folder = None if config.personas is None else directory / config.personas
    settings = user_settings(config.user_engine, config.user_model, load_fragments(folder))
    now = {"versions": versions(), "personas_sha256": settings.pieces.sha256}
    with hold_run(directory):
        config.check_same(config.model_copy(update=now), directory)
        users, agent = _parsed(config.users, settings), config.agent
        _execute(directory, config, bench, agent, users, settings, jobs, concurrency, progress)
    return open_run(directory)


def check_counts(**counts: int) -> None:
    """Refuse numbers below one.

    Raises:
        UsageError: one is; the message names it.
    """
    for name, value in counts.items():
        if value < 1:
            raise UsageError(f"{name} must be 1 or more, not {value}")


def _execute(
    directory: Path,
    config: RunConfig,
    bench: "Benchmark",
    agent: "AgentSpec",
    users: tuple[Any, ...],
    settings: UserSettings,
    jobs: int,
    concurrency: int,
    progress: Callable[[Progress], None] | None,
) -> None:
    """Run the episodes that are missing."""
    suffix = digest(config.model_dump(mode="json", exclude={"benchmark"}))[:12]
    finished = load_index(directory)
    plan = list(plan_episodes(config.tasks, config.users, config.trials))
    todo = [one for one in plan if not is_settled(finished.get(one.id))]
    outcomes = {one.id: finished[one.id].passed for one in plan if is_settled(finished.get(one.id))}
    report = progress or (lambda _: None)
    report(Progress(len(outcomes), len(plan), sum(outcomes.values())))
    if not todo:
        shutil.rmtree(directory / CHECKPOINTS, ignore_errors=True)
        return
    places = _checkpoints(directory)
    for place, one in enumerate(todo):
        before = finished.get(one.id)
        again = replace(one, attempt=1 if before is None else before.attempts + 1)
        todo[place] = replace(again, checkpoint=places.get(again.thread(suffix)))
    jobs, concurrency = min(jobs, len(todo)), min(concurrency, len(todo))
    job = Job(
        directory=directory,
        benchmark=bench if jobs == 1 else bench.directory.resolve(),
        agent=agent,
        users=users,
        seed=config.seed,
        limits=config.limits,
        thread_suffix=suffix,
        concurrency=concurrency,
        settings=settings,
    )
    setup = partial(open_worker, job)
    for done in run_parallel(todo, setup, jobs=jobs, concurrency=concurrency, preload=_PRELOAD):
        outcomes[done.id] = done.passed
        report(Progress(len(outcomes), len(plan), sum(outcomes.values()), done.id))
    shutil.rmtree(directory / CHECKPOINTS, ignore_errors=True)


def _checkpoints(directory: Path) -> dict[str, str]:
    """Return which file holds each thread that is under way."""
    from crab_graph.graph.checkpoint import stored_threads  # noqa: PLC0415  (loads LangGraph)

    files = checkpoint_files(directory)
    return {thread: path.name for path in files for thread in stored_threads(path)}


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


def _model_name(settings: UserSettings) -> str | None:
    """Return what the users' model is recorded as; refuse now one that cannot be opened."""
    from crab_graph.graph.users import with_open_model  # noqa: PLC0415  (loads LangChain)

    if settings.engine is Engine.RULES:
        return None
    name: str = with_open_model(settings).model.name
    return name


def _is_named(user: Any) -> bool:
    from crab_graph.personas.condition import Condition  # noqa: PLC0415

    return isinstance(user, str | Condition)
