"""A person in one seat of an episode, which is kept like any other (paper section 3.3)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from langgraph.types import Command

from crab_graph.agents.adapters import resolve_agent
from crab_graph.agents.agent_types import AgentSpec
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.errors import RunError, UsageError
from crab_graph.graph.build import Leg, prepare_episode
from crab_graph.graph.episode_graph import EpisodeGraph
from crab_graph.graph.person import PERSON_AGENT, SeatedUser, is_seats
from crab_graph.graph.savers import open_saver
from crab_graph.graph.state import Status, is_finished
from crab_graph.graph.told import traced_if_asked
from crab_graph.graph.users import set_up
from crab_graph.personas.condition import parse_condition
from crab_graph.runs.beginning import begin_run, forget_episodes
from crab_graph.runs.config import CHECKPOINTS, SHARDS
from crab_graph.runs.episode import Visit, play_episode
from crab_graph.runs.plan import episode_id
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.sitting import Sitting, prepare_sitting
from crab_graph.runs.store import Shard, load_index, load_record
from crab_graph.runs.writing import hold_run, keeping
from crab_graph.settings import (
    EpisodeKeywords,
    EpisodeSettings,
    RunSettings,
    SittingSettings,
    value_of,
)
from crab_graph.tools.registry import Owner

Answer = str | Mapping[str, Any]
Ask = Callable[[Mapping[str, Any]], Any]
"""What a person is shown: `seat`, `messages` since its last turn, and `tools`; what it answers.

Where the agent itself stops for a person, that is shown its `question` alone, and may answer any
JSON value.
"""

_THREAD = "play"
_PART = "part-0"


@dataclass(frozen=True, slots=True)
class SeatedEpisode:
    """Who sits where; a person in the user's seat is asked to be like the condition `user`."""

    bench: Benchmark
    task_id: str
    seat: Owner
    agent: AgentSpec
    user: str
    settings: EpisodeSettings

    def sitting(self, directory: Path) -> Sitting:
        """Return what a run needs that holds this episode alone."""
        added = set_up(self.settings).fragments.added
        user: Any = parse_condition(self.user, added)
        agent = PERSON_AGENT if self.seat is Owner.AGENT else self.agent
        user = SeatedUser(user) if self.seat is Owner.USER else user
        settings = RunSettings(**vars(self.settings), tasks=(self.task_id,))
        return prepare_sitting(directory, self.bench, agent, user, settings, SittingSettings())


def seat_person(
    bench: Benchmark | str | Path,
    task: str,
    seat: str,
    *,
    agent: AgentSpec = "solver",
    user: str = "ruse",
    **settings: Unpack[EpisodeKeywords],
) -> SeatedEpisode:
    """Return an episode in which a person takes a seat.

    The toolset, by default the benchmark's, is the agent's, whoever that is.

    Raises:
        UsageError: there is no such seat, or the settings do not fit.
        BenchmarkError: another version of the domain made the benchmark.
        UnknownName: there is no such task, agent or condition.
    """
    if seat not in set(Owner):
        raise UsageError(f"a person plays as user or agent, not as '{seat}'")
    bench = bench if isinstance(bench, Benchmark) else load_benchmark(bench)
    bench.check_playable()
    wanted = value_of(EpisodeSettings, settings)
    bench = bench.with_toolset(wanted.toolset)
    task_id = bench[task.strip().upper()].id
    return SeatedEpisode(bench, task_id, Owner(seat), agent, user, wanted)


def play_with_person(
    seated: SeatedEpisode,
    out: str | Path,
    ask: Ask,
    *,
    allow_mismatch: bool = False,
    force: bool = False,
) -> EpisodeRecord:
    """Play an episode with a person; it goes on where it stopped, and a finished one is returned.

    What `ask` raises stops the play, which can be gone on with: with `allow_mismatch` although it
    was begun otherwise. With `force` it begins again, whatever is in the directory `out`.

    Raises:
        ResumeMismatch: the directory holds a play with other settings.
        RunError: it holds something else, or another process plays there.
    """
    sitting = seated.sitting(directory := Path(out))
    name = episode_id(seated.task_id, sitting.config.users[0], 0)
    with keeping(directory):
        directory.mkdir(parents=True, exist_ok=True)
        with hold_run(directory):
            if force:
                forget_episodes(directory)
            begin_run(directory, sitting.config, force=force, allow_mismatch=allow_mismatch)
            if name not in load_index(directory):
                _play(sitting, ask)
    return load_record(directory, name)


def _play(sitting: Sitting, ask: Ask) -> None:
    directory = sitting.directory
    (directory / CHECKPOINTS).mkdir(exist_ok=True)
    task, (user,) = sitting.benchmark[sitting.config.tasks[0]], sitting.users
    with open_saver(directory / CHECKPOINTS / f"{_PART}.sqlite") as saver:
        agent = resolve_agent(sitting.agent)
        prepared = prepare_episode(task, agent, user, saver, sitting.setup, Leg())
        with traced_if_asked(asks_models=prepared.nodes.asks_models):
            _converse(prepared.compile(), ask)
        visit = Visit(checkpointer=saver, thread_id=_THREAD)
        record = play_episode(task, agent, user, sitting.setup, visit)
        if not record.has_verdict:
            raise RunError(
                f"{directory}: the talk broke down: {record.error}; the same command goes on there"
            )
        shard = Shard(directory / SHARDS / f"{_PART}.jsonl")
        shard.append(record)
        shard.close()
        saver.delete_thread(_THREAD)


def _converse(graph: EpisodeGraph, ask: Ask) -> None:
    """Let both sides talk until the episode is over."""
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
            asked = snapshot.interrupts[0].value
            answer = ask(asked if is_seats(asked) else {"question": asked})
            graph.invoke(Command(resume=answer), config, durability="sync")
        else:
            graph.invoke(None if snapshot.created_at else {}, config, durability="sync")
