"""The runs that a report is about, each cut into arms: one agent with one kind of user."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crab_graph.analysis.report.exhibit import Cell, Filter
from crab_graph.domains.manifest import SweepMember
from crab_graph.domains.task import Task
from crab_graph.errors import CrabGraphError, RunError
from crab_graph.runs.config import RunConfig, read_config
from crab_graph.runs.pivot import Pivot, load_pivots
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run
from crab_graph.runs.warehouse import load_summaries

INCOMPLETE_SHARE = 0.02
"""A run with more infrastructure errors than this is called incomplete (rulebook §11)."""

REFERENCE_USER = "generic"


@dataclass(frozen=True, slots=True)
class TaskFigures:
    """What is known of a task beside its episodes: the numbers that make it hard."""

    solutions: int
    distractors: int
    active_edges: int


@dataclass(frozen=True, slots=True)
class Arm:
    """The episodes of one agent with one kind of user, in one run.

    Attributes:
        run: Number of the run, from 0.
        run_name: Name of the run, where the label needs it to be told from another.
        agent: The agent, with its toolset where that is not the paper's.
        is_reference: Whether the agent is one of ours that needs no model.
        user: The user's condition.
        user_engine: What played the user.
        records: The episodes.
    """

    run: int
    run_name: str | None
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
    def who(self) -> str:
        """The agent, labelled where no model stands behind it."""
        return f"{self.agent_label}{' (reference)' if self.is_reference else ''}"

    @property
    def label(self) -> str:
        """Agent and user, both labelled where no model stands behind them."""
        return f"{self.who} with {self.user_label}"

    @property
    def heading(self) -> str:
        """The label in two lines, for the head of a column."""
        return self.label.replace(" with ", "\n", 1)

    @property
    def user_label(self) -> str:
        """The user's condition, labelled where rules played it."""
        return f"{self.user} ({self.user_engine})"

    def where(self, **more: str) -> Filter:
        """Return what finds its episodes, or some of them."""
        return {"run": str(self.run), "agent": self.agent, "user": self.user, **more}

    def cells(self) -> tuple[Cell, Cell]:
        """Return the cells that say whose row it is."""
        tag = "reference" if self.is_reference else ""
        return Cell(self.agent_label, self.agent_label, tag=tag), Cell(self.user_label, self.user)


@dataclass(frozen=True, slots=True)
class StudiedRun:
    """A run, its episodes, and what is known of its tasks.

    Attributes:
        name: Name of its directory.
        planned: How many episodes it consists of.
        records: Those that have ended, without their dialogues.
        config: What the run is; `None` for episodes that come from no directory.
        benchmark: Directory of the benchmark.
        tasks: Its tasks in numbers; empty where the benchmark is not to be found.
        sweep: Which part of a sweep the benchmark is, if it is one.
        pivots: What forks said of single episodes.
    """

    name: str
    planned: int
    records: tuple[EpisodeRecord, ...]
    config: RunConfig | None = None
    benchmark: Path | None = None
    tasks: Mapping[str, TaskFigures] | None = None
    sweep: SweepMember | None = None
    pivots: tuple[Pivot, ...] = ()


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
        found: dict[tuple[int, str, str], list[Arm]] = {}
        for arm in self.arms:
            found.setdefault((arm.run, arm.agent, arm.user_engine), []).append(arm)
        return list(found.values())

    def users(self) -> list[list[Arm]]:
        """Return the arms of each kind of user, in order of appearance."""
        found: dict[tuple[str, str], list[Arm]] = {}
        for arm in self.arms:
            found.setdefault((arm.user, arm.user_engine), []).append(arm)
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


def study_records(records: Sequence[EpisodeRecord], name: str = "episodes") -> Study:
    """Return episodes from anywhere as a study of one run."""
    return make_study([StudiedRun(name, len(records), tuple(records))])


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
        lost = sum(record.outcome == "infra_error" for record in run.records)
        missing = run.planned - len(run.records)
        if missing > 0:
            found.append(
                f"{run.name} is incomplete: {len(run.records):,} of {run.planned:,} episodes "
                "have ended."
            )
        elif lost > INCOMPLETE_SHARE * run.planned:
            found.append(
                f"{run.name} is incomplete: {lost:,} of {run.planned:,} episodes broke down and "
                "have no verdict."
            )
    return found


def _read_run(directory: Path) -> StudiedRun:
    config = read_config(directory)
    benchmark = directory / config.benchmark
    tasks, sweep = _read_tasks(benchmark, config)
    return StudiedRun(
        name=directory.resolve().name,
        planned=Run(directory, config, ()).planned,
        records=tuple(load_summaries(directory)),
        config=config,
        benchmark=benchmark if tasks else None,
        tasks=tasks,
        sweep=sweep,
        pivots=tuple(load_pivots(directory).values()),
    )


def _read_tasks(
    benchmark: Path, config: RunConfig
) -> tuple[Mapping[str, TaskFigures], SweepMember | None]:
    """Return what a benchmark says of a run's tasks; nothing where it is gone, or another one."""
    from crab_graph.domains.benchmark import load_benchmark  # noqa: PLC0415  (loads DuckDB)

    try:
        bench = load_benchmark(benchmark)
        if bench.sha256 != config.benchmark_sha256:
            return {}, None
        wanted = set(config.tasks)
        tasks = {task.id: _figures(task) for task in _wanted(bench, wanted)}
    except CrabGraphError:
        return {}, None
    return tasks, bench.manifest.settings.sweep


def _wanted(bench: Iterable[Task], wanted: set[str]) -> Iterable[Task]:
    return (task for task in bench if task.id in wanted)


def _figures(task: Task) -> TaskFigures:
    spec = task.spec
    return TaskFigures(
        solutions=spec.certificate.sql,
        distractors=spec.node_distractors + spec.edge_distractors,
        active_edges=len(spec.active_edges),
    )
