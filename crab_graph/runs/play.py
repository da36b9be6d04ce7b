"""A person in one seat of an episode, which is kept like any other (paper section 3.3)."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crab_graph.errors import RunError, UsageError
from crab_graph.graph.limits import Limits
from crab_graph.graph.user_settings import Engine, UserSettings, user_settings
from crab_graph.runs.disk import keeping
from crab_graph.runs.episode import run_episode
from crab_graph.runs.locks import hold_run
from crab_graph.runs.plan import episode_id
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.runner import model_name
from crab_graph.runs.store import (
    CHECKPOINTS,
    SHARDS,
    RunConfig,
    Shard,
    begin_run,
    check_directory,
    load_index,
    load_record,
)
from crab_graph.runs.versions import agent_sha256, code_sha256, versions

if TYPE_CHECKING:
    from crab_graph.agents.adapters import AgentSpec
    from crab_graph.domains.benchmark import Benchmark
    from crab_graph.graph.person import PersonSeat

Answer = str | Mapping[str, Any]
Ask = Callable[[Mapping[str, Any]], Answer]
"""What a person is shown: `seat`, `messages` since its last turn, and `tools`; what it answers."""

_DEFAULT_SETTINGS = UserSettings()
_DEFAULT_LIMITS = Limits()
_THREAD = "play"
_PART = "part-0"


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits where.

    Attributes:
        bench: The benchmark.
        task_id: The task.
        seat: Where the person sits.
        agent: The agent, if that is not the person.
        user: The user's condition; a person in that seat is asked to be like that.
        settings: What plays the user, if that is not the person.
        seed: Seed of the user.
        limits: When the episode stops.
    """

    bench: "Benchmark"
    task_id: str
    seat: "PersonSeat"
    agent: "AgentSpec" = "solver"
    user: str = "ruse"
    settings: UserSettings = _DEFAULT_SETTINGS
    seed: int = 0
    limits: Limits = _DEFAULT_LIMITS

    def parties(self) -> tuple[Any, Any]:
        """Return the agent and the user of the episode."""
        from crab_graph.graph.person import PERSON_AGENT, PersonSeat, SeatedUser  # noqa: PLC0415
        from crab_graph.personas.condition import parse_condition  # noqa: PLC0415

        condition = parse_condition(self.user, self.settings.pieces.added)
        if self.seat is PersonSeat.AGENT:
            return PERSON_AGENT, condition
        return self.agent, SeatedUser(condition)

    def config(self, directory: Path) -> RunConfig:
        """Return the settings of a run that holds this episode alone."""
        from crab_graph.agents.adapters import resolve_agent  # noqa: PLC0415  (loads LangChain)
        from crab_graph.graph.person import PERSON, PersonSeat  # noqa: PLC0415
        from crab_graph.graph.users import condition_name  # noqa: PLC0415

        agent, user = self.parties()
        is_user = self.seat is PersonSeat.USER
        return RunConfig(
            benchmark=relpath(self.bench.directory, directory),
            benchmark_sha256=self.bench.sha256,
            agent=resolve_agent(agent).name,
            toolset=str(self.bench.toolset),
            users=(condition_name(user),),
            user_engine=PERSON if is_user else str(self.settings.engine),
            user_model=None if is_user else model_name(self.settings),
            personas_sha256=self.settings.pieces.sha256,
            seed=self.seed,
            trials=1,
            tasks=(self.task_id,),
            limits=self.limits,
            versions=versions(),
            code_sha256=code_sha256(),
            agent_sha256=None if self.seat is PersonSeat.AGENT else agent_sha256(self.agent),
        )


def seat_person(
    bench: "Benchmark | str | Path",
    task: str,
    seat: str,
    *,
    agent: "AgentSpec" = "solver",
    user: str = "ruse",
    engine: str = Engine.RULES,
    user_model: Any = None,
    seed: int = 0,
    toolset: str | None = None,
) -> Table:
    """Return a table at which a person takes a seat.

    The toolset, by default the benchmark's, is the agent's, whoever that is.

    Raises:
        UsageError: there is no such seat, or the settings do not fit.
        UnknownName: there is no such task, agent or condition.
    """
    from crab_graph.domains.benchmark import Benchmark, load_benchmark  # noqa: PLC0415
    from crab_graph.graph.person import PersonSeat  # noqa: PLC0415  (loads LangGraph)

    if seat not in set(PersonSeat):
        raise UsageError(f"a person plays as user or agent, not as '{seat}'")
    bench = bench if isinstance(bench, Benchmark) else load_benchmark(bench)
    bench = bench.with_toolset(toolset)
    task_id = bench[task.strip().upper()].id
    settings = user_settings(engine, user_model)
    return Table(bench, task_id, PersonSeat(seat), agent, user, settings, seed)


def play_episode(
    table: Table, out: str | Path, ask: Ask, *, allow_mismatch: bool = False, force: bool = False
) -> EpisodeRecord:
    """Play an episode with a person; it goes on where it stopped, and a finished one is returned.

    Args:
        table: Who sits where.
        out: Directory of the run that holds it.
        ask: Asks the person; what it raises stops the play, which can be gone on with.
        allow_mismatch: Go on although it was begun otherwise.
        force: Begin again, whatever is there.

    Raises:
        ResumeMismatch: the directory holds a play with other settings.
        RunError: it holds something else, or another process plays there.
    """
    directory = Path(out)
    check_directory(directory)
    config = table.config(directory)
    name = episode_id(table.task_id, config.users[0], 0)
    with keeping(directory):
        directory.mkdir(parents=True, exist_ok=True)
        with hold_run(directory):
            if force:
                shutil.rmtree(directory / SHARDS, ignore_errors=True)
                shutil.rmtree(directory / CHECKPOINTS, ignore_errors=True)
            begin_run(directory, config, force=force, allow_mismatch=allow_mismatch)
            if name not in load_index(directory):
                _play(table, directory, ask)
    return load_record(directory, name)


def _play(table: Table, directory: Path, ask: Ask) -> None:
    from crab_graph.graph.checkpoint import open_saver  # noqa: PLC0415  (loads LangGraph)

    (directory / CHECKPOINTS).mkdir(exist_ok=True)
    task = table.bench[table.task_id]
    agent, user = table.parties()
    with open_saver(directory / CHECKPOINTS / f"{_PART}.sqlite") as saver:
        _converse(table, saver, ask)
        record = run_episode(
            task,
            agent,
            user,
            seed=table.seed,
            checkpointer=saver,
            limits=table.limits,
            thread_id=_THREAD,
            settings=table.settings,
        )
        if record.error is not None:
            raise RunError(
                f"{directory}: the talk broke down: {record.error}; the same command goes on there"
            )
        shard = Shard(directory / SHARDS / f"{_PART}.jsonl")
        shard.append(record)
        shard.close()
        saver.delete_thread(_THREAD)


def _converse(table: Table, saver: Any, ask: Ask) -> None:
    """Let both sides talk until the episode is over."""
    from langgraph.types import Command  # noqa: PLC0415

    from crab_graph.graph.build import build_graph  # noqa: PLC0415
    from crab_graph.graph.state import Status, is_finished  # noqa: PLC0415

    task = table.bench[table.task_id]
    agent, user = table.parties()
    graph = build_graph(
        task,
        agent,
        user,
        saver,
        seed=table.seed,
        limits=table.limits,
        settings=table.settings,
    )
    config: Any = {"configurable": {"thread_id": _THREAD}}
    while True:
        snapshot = graph.get_state(config)
        stored = snapshot.values
        if stored.get("status") == Status.INFRA_ERROR and snapshot.parent_config is not None:
            graph.invoke(None, snapshot.parent_config, durability="sync")
            if graph.get_state(config).values.get("status") == Status.INFRA_ERROR:
                return
        elif is_finished(stored):
            return
        elif snapshot.interrupts:
            answer = ask(snapshot.interrupts[0].value)
            graph.invoke(Command(resume=answer), config, durability="sync")
        else:
            graph.invoke(None if snapshot.created_at else {}, config, durability="sync")
