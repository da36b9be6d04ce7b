"""One sitting of a run: who plays what, on which tasks, with whom and where."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from os.path import relpath
from pathlib import Path
from typing import Any

from crab_graph.agents.adapters import Agent, resolve_agent
from crab_graph.agents.agent_types import AgentSpec
from crab_graph.agents.identity import MODULE, Identity, check_name, identify, identify_all
from crab_graph.agents.written_code import module_sha256
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.errors import UsageError
from crab_graph.given_values import a_path
from crab_graph.graph.person import SeatedUser
from crab_graph.graph.savers import check_address
from crab_graph.graph.users import (
    Setup,
    UserSpec,
    condition_name,
    read_users,
    set_up,
    user_objects,
    with_open_model,
)
from crab_graph.models.prices import NO_PRICES, check_priced
from crab_graph.models.secrets import MASK, public_spec
from crab_graph.personas.condition import Condition
from crab_graph.personas.fragment_set import load_fragments
from crab_graph.runs.beginning import check_directory
from crab_graph.runs.config import CONFIG, RunConfig, check_size, read_config
from crab_graph.runs.final_tables import table_cards
from crab_graph.runs.owner import Authorship, authorship_of
from crab_graph.runs.plan import select_tasks
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.versions import code_sha256, versions
from crab_graph.settings import Engine, RunSettings, SittingSettings, TrustSettings, value_of
from crab_graph.workers import Executor

PERSON = "person"
"""How a person in a seat is recorded."""
PYTHON = "python"
"""How a user that is a callable is recorded; specs of objects begin with it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: episodes that are finished, in earlier sittings too, of how many.

    `last` is the id of the one finished just now, and `stopped` the cap of the whole run that was
    reached, if one was; tokens and dollars are those of all of them, as far as prices are known.
    """

    done: int
    total: int
    passed: int
    last: str | None = None
    tokens: int = 0
    dollars: float = 0.0
    stopped: str | None = None


Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Sitting:
    """What a sitting needs; for workers in other processes `bench` is the benchmark's directory.

    Forks go on from the episode `origin`. To the hosts in `keyless` no key goes.
    """

    directory: Path
    config: RunConfig
    bench: Benchmark | Path
    agent: AgentSpec | Agent
    users: tuple[Any, ...]
    setup: Setup
    terms: SittingSettings
    origin: EpisodeRecord | None = None
    keyless: frozenset[str] = frozenset()

    @property
    def is_here(self) -> bool:
        """Whether its episodes are played in this process."""
        return self.terms.jobs == 1 and self.terms.executor == Executor.PROCESSES

    def handed_over(self) -> "Sitting":
        """Return it as its workers get it, which may be in other processes."""
        if self.is_here:
            return self
        bench = self.benchmark.directory.resolve()
        return replace(self, directory=self.directory.resolve(), bench=bench)

    @property
    def benchmark(self) -> Benchmark:
        """Its benchmark, with the run's toolset."""
        if isinstance(self.bench, Benchmark):
            return self.bench
        return load_benchmark(self.bench).with_toolset(self.config.toolset)


def wanted_sitting(
    out: str | Path,
    bench: Benchmark | str | Path,
    agent: AgentSpec,
    users: UserSpec | Sequence[UserSpec],
    given: Mapping[str, Any],
) -> Sitting:
    """Return the sitting that the keywords of `crab_graph.run` ask for; errors as there."""
    settings = value_of(RunSettings, given, SittingSettings)
    terms = value_of(SittingSettings, given, RunSettings)
    return prepare_sitting(a_path("out", out), bench, agent, users, settings, terms)


def prepare_sitting(
    directory: Path,
    bench: Benchmark | str | Path,
    agent: AgentSpec | Agent,
    users: UserSpec | Sequence[UserSpec],
    settings: RunSettings,
    terms: SittingSettings,
) -> Sitting:
    """Return all that a sitting needs; nothing is written. `users` are one or several.

    Raises:
        UsageError: a setting names nothing, or does not go with another.
        BenchmarkError: the benchmark is missing, damaged, or of another version.
        RunError: the directory holds something else than a run.
    """
    opened = bench if isinstance(bench, Benchmark) else load_benchmark(bench)
    opened.check_playable()
    check_directory(directory)
    bench = opened.with_toolset(settings.toolset)
    settings = replace(settings, toolset=str(bench.toolset))
    setup = set_up(settings)
    setup.fragments.check_facts(bench.domain.fact_keys)
    players = read_users(users, setup.fragments)
    stood_for = {
        "benchmark": _seen_from(directory, bench.directory),
        "benchmark_sha256": bench.sha256,
        "card": bench.card,
        "tables": table_cards(bench.domain.tables),
        **_agent(agent, settings.name),
        "personas": settings.personas and _seen_from(directory, settings.personas),
        "personas_sha256": setup.fragments.sha256,
        "tasks": select_tasks(bench, settings.tasks),
        "versions": versions(),
        "code_sha256": code_sha256(),
    }
    config = RunConfig(
        **{one.name: getattr(settings, one.name) for one in fields(settings)}
        | stood_for
        | _users(players, setup)
        | _terms(directory, terms)
    )
    check_size(config)
    caps = (config.limits.max_cost, config.run_limits and config.run_limits.max_cost)
    if any(cap is not None for cap in caps):
        check_priced(config.prices, [config.agent, config.user_model])
    setup = replace(setup, prices=config.prices or NO_PRICES)
    sitting = Sitting(directory, config, bench, agent, players, setup, terms)
    are_named = isinstance(agent, str) and isinstance(settings.user_model, str | None)
    if not (sitting.is_here or (are_named and config.engine != PYTHON)):
        words = "jobs > 1" if terms.executor == Executor.PROCESSES else "executor ray"
        raise UsageError(f"with {words} name agent and user by text: objects stay in this process")
    return sitting


def known_now(config: RunConfig, bench: Benchmark, settings: RunSettings) -> RunConfig:
    """Return a run's configuration with the hashes of now, as far as nothing is imported for them.

    These are the benchmark, the code of crab-graph, the fragments and the agent's module.
    """
    folder = None if settings.personas is None else Path(settings.personas)
    now = replace(
        config,
        benchmark_sha256=bench.sha256,
        code_sha256=code_sha256(),
        versions=versions(),
        personas_sha256=load_fragments(folder).sha256,
    )
    before, source = config.agent_parts.get(MODULE), module_sha256(config.agent)
    if before is None or source in (before, None):
        return now
    return replace(now, agent_sha256=source, agent_parts={"source": source, MODULE: source})


def trusting(
    sitting: Sitting, directory: Path, trust: TrustSettings, keyless: frozenset[str]
) -> Sitting:
    """Return a sitting of a run that the user wrote or trusts, with what that allows."""
    is_trusted = trust.trust or authorship_of(directory / CONFIG) is Authorship.TRUSTED
    return replace(sitting, keyless=keyless, setup=replace(sitting.setup, trusts=is_trusted))


def _seen_from(directory: Path, path: str | Path) -> str:
    """Return a path as the run's directory sees it, in a form that any system reads."""
    try:
        return Path(relpath(path, directory)).as_posix()
    except ValueError:  # on another drive of Windows
        return Path(path).resolve().as_posix()


def _agent(agent: AgentSpec | Agent, name: str | None) -> dict[str, Any]:
    """Return what is recorded of the agent: its spec, and what makes it."""
    spec = resolve_agent(agent).name
    check_name(name, spec)
    return {"agent": spec} | _made_of("agent", identify(agent, name))


def _made_of(party: str, known: Identity | None) -> dict[str, Any]:
    if known is None:
        return {}
    unread = {"unread": ", ".join(known.unread)} if known.unread else {}
    return {f"{party}_sha256": known.sha256, f"{party}_parts": known.parts | unread}


def _users(players: tuple[Any, ...], setup: Setup) -> dict[str, Any]:
    """Return what is recorded of the users; refuse now a model that cannot be opened."""
    names = tuple(map(condition_name, players))
    if not names or len(set(names)) < len(names):
        raise UsageError("name one user, or several that differ")
    if any(isinstance(one, SeatedUser) for one in players):
        return {"users": names, "engine": PERSON, "user_model": None}
    are_conditions = all(isinstance(one, Condition) for one in players)
    engine = setup.settings.engine if are_conditions else PYTHON
    model = None if setup.engine is Engine.RULES else with_open_model(setup).model.name
    made = _made_of("user", identify_all(user_objects(players, setup.settings)))
    return {"users": names, "engine": engine, "user_model": model} | made


def _terms(directory: Path, terms: SittingSettings) -> dict[str, Any]:
    """Return what is recorded of how the run is worked on; prices are those of before, or given."""
    known = read_config(directory).prices if (directory / CONFIG).exists() else None
    address = None if terms.checkpoint is None else public_spec(check_address(terms.checkpoint))
    prices = terms.prices or known
    return {"prices": prices, "run_limits": terms.run_limits, "checkpoint": address}


def check_replayable(directory: Path, config: RunConfig) -> None:
    """Refuse to go on with a run whose agent or user is not known by what it keeps.

    Raises:
        UsageError: one was an object, a person, or had credentials in its address.
    """
    parties = (config.agent, config.user_model or "")
    if config.engine == PYTHON or any(one.startswith(f"{PYTHON}:") for one in parties):
        raise UsageError(f"{directory}: made with Python objects; call crab_graph.run again")
    if any(MASK in one for one in parties):
        raise UsageError(
            f"{directory}: the address of its agent or user has credentials, which are not kept; "
            "give the same `crab-graph run` command again"
        )
    if PERSON in {config.agent, config.engine}:
        raise UsageError(f"{directory}: a person plays in it; go on with the same `play` command")
