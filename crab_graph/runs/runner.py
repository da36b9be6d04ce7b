"""Many episodes: a run is begun, or gone on with, as it was begun (paper section 4)."""

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from crab_graph.agents.agent_types import AgentSpec
from crab_graph.agents.identity import playing
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.errors import UsageError
from crab_graph.given_values import a_path
from crab_graph.graph.users import UserSpec, user_objects
from crab_graph.interrupts import interruptible
from crab_graph.models.hosts import keys_withheld
from crab_graph.models.secrets import MASK
from crab_graph.runs.ablation import Ablation, compare_conditions
from crab_graph.runs.beginning import BEGIN_OTHERWISE, begin_run, differences_allowed
from crab_graph.runs.config import RunConfig, RunPath, read_config
from crab_graph.runs.execution import execute
from crab_graph.runs.run import Run, open_run
from crab_graph.runs.sitting import (
    Report,
    Sitting,
    check_replayable,
    known_now,
    prepare_sitting,
    trusting,
    wanted_sitting,
)
from crab_graph.runs.store import keep_origin, read_origin
from crab_graph.runs.trust import check_trusted, named_in
from crab_graph.runs.writing import hold_run, keeping
from crab_graph.settings import (
    ABLATION,
    ResumeKeywords,
    RunKeywords,
    RunSettings,
    SittingSettings,
    TrustSettings,
    value_of,
)

RESUME_OTHERWISE = "go on all the same with `allow_mismatch=True`"


def run(
    bench: Benchmark | str | Path,
    agent: AgentSpec,
    user: UserSpec | Sequence[UserSpec] = "ruse",
    trials: int = 1,
    out: str | Path = "run",
    *,
    force: bool = False,
    allow_mismatch: bool = False,
    progress: Report | None = None,
    **settings: Unpack[RunKeywords],
) -> Run:
    """Run an agent on the tasks of a benchmark, and grade every episode.

    The same call on the same directory goes on where an earlier one stopped.

    Args:
        bench: The benchmark, or its directory.
        agent: A spec, a chat model, a compiled graph, a `Runnable`, or a callable.
        user: A condition, a callable, or several of them.
        trials: Episodes of each task with each user.
        out: Directory of the run.
        force: Throw away a run with other settings in the same directory.
        allow_mismatch: Go on with it: what is finished stays, the rest is done as asked for now.
        progress: Called at the beginning and after each episode.
        settings: The fields of `RunSettings` and `SittingSettings` in `crab_graph.settings`. More
            than one job, and Ray, need an agent and users named by text.

    Raises:
        UsageError: a setting is out of range, or names nothing.
        ResumeMismatch: the directory holds a run with other settings.
        RunError: it holds something else, or another process works on it.
        StorageError: the disk is full.
    """
    sitting = wanted_sitting(out, bench, agent, user, {**settings, "trials": trials})
    return sit(sitting, progress, force=force, allow_mismatch=allow_mismatch)


def sit(
    sitting: Sitting,
    report: Report | None = None,
    *,
    force: bool = False,
    allow_mismatch: bool = False,
    hint: str = BEGIN_OTHERWISE,
) -> Run:
    """Run the episodes that are missing, in a directory that is this run's or becomes it.

    Raises:
        ResumeMismatch: the directory holds a run with other settings.
        RunError: another process works on it.
        StorageError: the disk is full; what was finished is kept.
    """
    directory, config, origin = sitting.directory, sitting.config, sitting.origin
    with interruptible(), keeping(directory):
        directory.mkdir(parents=True, exist_ok=True)
        with hold_run(directory):
            begin_run(
                directory,
                config,
                force=force,
                allow_mismatch=allow_mismatch,
                hint=hint,
                first=None if origin is None else partial(keep_origin, directory, origin),
            )
            with playing(sitting.agent, *user_objects(sitting.users, sitting.setup.settings)):
                execute(sitting, report)
    return open_run(directory)


def ablate(
    bench: Benchmark | str | Path,
    agent: AgentSpec,
    conditions: Sequence[UserSpec] = ABLATION,
    trials: int = 1,
    out: str | Path = "ablation",
    *,
    force: bool = False,
    progress: Report | None = None,
    **settings: Unpack[RunKeywords],
) -> Ablation:
    """Run the same tasks and trials under several users, and say what each factor costs.

    The other conditions are compared with the first. All other arguments are those of `run`; what
    stands in `out` is an ordinary run.

    Raises:
        UsageError: there are fewer than two conditions, or a setting is out of range.
        ResumeMismatch: the directory holds a run with other settings.
    """
    if "user" in settings:
        raise UsageError("an ablation has several users: `conditions=generic,d2`")
    if isinstance(conditions, str):
        conditions = conditions.split(",")
    if len(conditions) < 2:
        raise UsageError("an ablation compares two conditions or more")
    done = run(bench, agent, conditions, trials, out, force=force, progress=progress, **settings)
    return replace(compare_conditions(done.episodes, done.config.users), run=done)


def resume_run(
    path: RunPath,
    *,
    allow_mismatch: bool = False,
    progress: Report | None = None,
    **terms: Unpack[ResumeKeywords],
) -> Run:
    """Finish a run that stopped anywhere.

    With `allow_mismatch` although the benchmark, the agent's code, the prompt fragments, or the
    version of crab-graph or LangGraph is another one. `progress` is called at the beginning and
    after each episode; `terms` are the fields of `SittingSettings` and `TrustSettings` in
    `crab_graph.settings`, and what is not given of checkpoint, prices and caps is what it was.

    Raises:
        RunError: there is no run, its benchmark is missing, or another process works on it.
        UntrustedRun: somebody else wrote it, without `trust`.
        ResumeMismatch: one of these is another one, without `allow_mismatch`.
        StorageError: the disk is full.
        UsageError: the run's agent or user was given as a Python object or with credentials.
    """
    wanted = value_of(SittingSettings, terms, TrustSettings)
    trust = value_of(TrustSettings, terms, SittingSettings)
    directory = a_path("a run", path)
    sitting = prepare_resumption(directory, wanted, trust, allow_mismatch=allow_mismatch)
    return sit(sitting, progress, allow_mismatch=allow_mismatch, hint=RESUME_OTHERWISE)


def prepare_resumption(
    directory: Path,
    terms: SittingSettings,
    trust: TrustSettings,
    *,
    allow_mismatch: bool = False,
) -> Sitting:
    """Return a sitting that goes on with a run as it was begun; errors as for `resume_run`.

    Before anything that the run names is imported or contacted it is seen whose it is, and whether
    benchmark, code and fragments are what they were.
    """
    config = read_config(directory)
    check_replayable(directory, config)
    checkpoint = terms.checkpoint or config.checkpoint
    if checkpoint is not None and MASK in checkpoint:
        raise UsageError(
            f"{directory}: its checkpoints are in {checkpoint}, whose login is not kept; "
            "give the address with `checkpoint=`"
        )
    named = named_in([config.agent, config.user_model], checkpoint)
    keyless = check_trusted(directory, named, trust)
    terms = replace(terms, checkpoint=checkpoint, run_limits=terms.run_limits or config.run_limits)
    bench = load_benchmark(directory / config.benchmark)
    bench.check_playable()
    begun_with = settings_of(directory, config)
    now = known_now(config, bench, begun_with)
    differences_allowed(directory, config, now, allow_mismatch, RESUME_OTHERWISE)
    with keys_withheld(keyless):
        sitting = prepare_sitting(directory, bench, config.agent, config.users, begun_with, terms)
    sitting = trusting(sitting, directory, trust, keyless)
    if config.fork is None:
        return sitting
    forked = replace(sitting.config, fork=config.fork)
    return replace(sitting, config=forked, origin=read_origin(directory))


def settings_of(directory: Path, config: RunConfig, **otherwise: Any) -> RunSettings:
    """Return the settings with which a run was begun, but for some of them.

    The directory of fragments is named as seen from here.
    """
    kept = {one.name: getattr(config, one.name) for one in fields(RunSettings)}
    personas = None if config.personas is None else directory / config.personas
    return RunSettings(**{**kept, "personas": personas, **otherwise})
