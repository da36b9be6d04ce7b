"""The runs that a report is about, each cut into arms: one agent with one kind of user."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crab_graph.analysis.report.exhibit import Cell, Filter, Point, named_heads
from crab_graph.domain.card import EARLIER_CARD, DomainCard
from crab_graph.domains.benchmark import SweepMember
from crab_graph.errors import CrabGraphError, RunError
from crab_graph.eval.statistics import Estimate
from crab_graph.runs.config import RunConfig, read_config
from crab_graph.runs.notes import Note, read_notes
from crab_graph.runs.pivot import Pivot, load_pivots
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run, benchmark_of, card_of
from crab_graph.runs.warehouse import load_summaries

INCOMPLETE_SHARE = 0.02
"""A run with more infra errors than this is called incomplete (rulebook §11)."""

REFERENCE_USER = "generic"
_MOST_NAMED = 5
WHO = tuple(named_heads("agent", "user", is_number=False))
"""The heads of the columns that say whose row it is."""


@dataclass(frozen=True, slots=True)
class Arm:
    """The episodes of one agent with one kind of user, in one run."""

    run: int
    """Its number, from 0."""
    run_name: str | None
    """Where the label needs it to be told from another."""
    agent: str
    is_reference: bool
    user: str
    user_engine: str
    records: tuple[EpisodeRecord, ...]

    @property
    def agent_label(self) -> str:
        """The agent, with its run where another run has the same agent."""
        return self.agent if self.run_name is None else f"{self.agent} in {self.run_name}"

    @property
    def tag(self) -> str:
        """What stands beside the agent where no model stands behind it."""
        return "reference" if self.is_reference else ""

    @property
    def who(self) -> str:
        """The agent, labelled where no model stands behind it."""
        return f"{self.agent_label}{' (reference)' if self.is_reference else ''}"

    @property
    def user_label(self) -> str:
        """The user's condition, labelled where rules played it."""
        return f"{self.user} ({self.user_engine})"

    @property
    def label(self) -> str:
        """Agent and user, both labelled where no model stands behind them."""
        return f"{self.who} with {self.user_label}"

    def where(self, **more: str) -> Filter:
        """Return what finds its episodes, or some of them."""
        return {"run": str(self.run), "agent": self.agent, "user": self.user, **more}

    def cells(self) -> tuple[Cell, Cell]:
        """Return the cells that say whose row it is."""
        return Cell(self.agent_label, tag=self.tag), Cell(self.user_label, self.user)

    def points(self, x: str, found: Estimate, where: Filter | None, panel: str = "") -> list[Point]:
        """Return the point of an estimate in a chart; none where nothing was estimated."""
        if found.value is None:
            return []
        ends = (found.low, found.high)
        return [Point(panel, self.who, self.user_label, x, found.value, *ends, found.basis, where)]


@dataclass(frozen=True, slots=True)
class StudiedRun:
    """A run, its ended episodes without their dialogues, and what is known of its tasks.

    Episodes that come from no directory have no `config`. Where the benchmark is gone nothing is
    known of edges and of a sweep; `benchmark` is `None` too where its tasks cannot be read.
    """

    name: str
    planned: int
    records: tuple[EpisodeRecord, ...]
    config: RunConfig | None = None
    benchmark: Path | None = None
    active_edges: Mapping[str, int] = field(default_factory=dict)
    sweep: SweepMember | None = None
    pivots: tuple[Pivot, ...] = ()
    card: DomainCard = EARLIER_CARD
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Study:
    """Runs side by side."""

    runs: tuple[StudiedRun, ...]
    arms: tuple[Arm, ...]

    @property
    def records(self) -> list[EpisodeRecord]:
        """All episodes."""
        return [record for run in self.runs for record in run.records]

    def agents(self) -> list[list[Arm]]:
        """Return the arms of each agent of each run, in order of appearance."""
        return self._grouped(lambda arm: (arm.run, arm.agent, arm.user_engine))

    def counted(self) -> str:
        """Return what was run, in one line: `4 agents × 2 users, 16 tasks, 256 episodes`."""
        counts = {
            "agent": len({(arm.agent, arm.is_reference) for arm in self.arms}),
            "user": len({(arm.user, arm.user_engine) for arm in self.arms}),
            "task": len({(record.stamp.get("task"), record.task_id) for record in self.records}),
            "episode": len(self.records),
        }
        told = [f"{n:,} {noun}{'' if n == 1 else 's'}" for noun, n in counts.items()]
        several = f" in {len(self.runs)} runs" if len(self.runs) > 1 else ""
        return f"{told[0]} × {', '.join(told[1:])}{several}"

    def named(self) -> str:
        """Return whom or what a reader would call it by: the run, or the agents that meet."""
        names = [run.name for run in self.runs]
        agents = list(dict.fromkeys(arm.agent for arm in self.arms))
        if len(names) == 1:
            return names[0]
        if len(agents) == 1:
            return f"{agents[0]} in {len(names)} runs"
        if len(agents) > _MOST_NAMED:
            return f"{len(agents)} agents in {len(names)} runs"
        return f"{', '.join(agents[:-1])} and {agents[-1]}"

    def users(self) -> list[list[Arm]]:
        """Return the arms of each kind of user, in order of appearance."""
        return self._grouped(lambda arm: (arm.user, arm.user_engine))

    def _grouped(self, key: Callable[[Arm], Hashable]) -> list[list[Arm]]:
        found: dict[Hashable, list[Arm]] = {}
        for arm in self.arms:
            found.setdefault(key(arm), []).append(arm)
        return list(found.values())


def load_study(directories: Sequence[Path]) -> Study:
    """Read runs, and what their benchmarks say of the tasks.

    Raises:
        RunError: one is no run, or is damaged, or no episode of any has ended.
    """
    runs = [_read_run(directory) for directory in directories]
    if not any(run.records for run in runs):
        raise RunError(f"{', '.join(map(str, directories))}: no episode is finished yet")
    return make_study(runs)


def study_records(records: Sequence[EpisodeRecord]) -> Study:
    """Return episodes from anywhere as a study of one run."""
    return make_study([StudiedRun("episodes", len(records), tuple(records))])


def make_study(runs: Sequence[StudiedRun]) -> Study:
    """Return runs cut into arms."""
    keys: dict[tuple[int, str, str, str], list[EpisodeRecord]] = {}
    for number, run in enumerate(runs):
        for record in run.records:
            key = (number, record.agent_label, record.condition, record.user_engine)
            keys.setdefault(key, []).append(record)
    places: dict[str, set[int]] = {}
    for number, agent, _, _ in keys:
        places.setdefault(agent, set()).add(number)
    arms = [
        Arm(
            run=number,
            run_name=runs[number].name if len(places[agent]) > 1 else None,
            agent=agent,
            is_reference=records[0].agent_is_reference,
            user=user,
            user_engine=engine,
            records=tuple(records),
        )
        for (number, agent, user, engine), records in keys.items()
    ]
    return Study(tuple(runs), tuple(arms))


def incomplete_runs(study: Study) -> list[str]:
    """Return a sentence for each run whose figures are not final."""
    found = []
    for run in study.runs:
        ended = len(run.records)
        lost = sum(record.outcome == "infra_error" for record in run.records)
        if ended < run.planned:
            what = f"{ended:,} of {run.planned:,} episodes have ended."
        elif lost > INCOMPLETE_SHARE * run.planned:
            what = f"{lost:,} of {run.planned:,} episodes broke down and have no verdict."
        else:
            continue
        found.append(f"{run.name} is incomplete: {what}")
    return found


def _read_run(directory: Path) -> StudiedRun:
    config = read_config(directory)
    run = Run(directory, config, ())
    active_edges: dict[str, int] = {}
    sweep = benchmark = None
    try:
        bench = benchmark_of(run)
        wanted = set(config.tasks)
        active_edges = {task.id: len(task.spec.active_edges) for task in bench if task.id in wanted}
        sweep = bench.manifest.settings.sweep
        bench[0].request  # noqa: B018  (which another version of its domain does not understand)
        benchmark = bench.directory
    except CrabGraphError:
        pass  # it is gone, or is another one: the report says what it leaves out
    return StudiedRun(
        name=directory.resolve().name,
        planned=run.planned,
        records=tuple(load_summaries(directory)),
        config=config,
        benchmark=benchmark,
        active_edges=active_edges,
        sweep=sweep,
        pivots=tuple(load_pivots(directory).values()),
        card=card_of(directory, config),
        notes=read_notes(directory),
    )
