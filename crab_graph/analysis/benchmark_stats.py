"""What a benchmark is made of: the paper's Table 1, and the distributions of its Figure 8.

Where the domain is from a paper, what that states stands beside what the benchmark has.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from crab_graph.analysis.labels import told_roughly
from crab_graph.domain.card import AxisCard
from crab_graph.domain.contract import Domain
from crab_graph.domain.declaration import Window
from crab_graph.domain.publication import FigureKind, PublishedFigure
from crab_graph.domain.request_types import width_names
from crab_graph.domains.benchmark import Benchmark
from crab_graph.generation.shortcuts import Shortcut
from crab_graph.settings import Toolset
from crab_graph.terms import label
from crab_graph.tools.registry import Owner

ALL = "all"
"""The group of all tasks, where the domain has no axis."""

ANY = "any"
"""Said of what is solved by whichever shortcut."""

_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, least and greatest of a number over tasks."""

    mean: float
    min: float
    max: float

    def __str__(self) -> str:
        return f"{self.mean:,.1f} ({self.min:,.0f}-{self.max:,.0f})"


@dataclass(frozen=True, slots=True)
class TaskNumbers:
    """The numbers of one task that are summed up."""

    stratum: int
    group: str
    solutions: int
    node_distractors: int
    edge_distractors: int
    active_edges: int
    edge_types: frozenset[str]
    candidates: tuple[int, ...]
    fitting: Mapping[str, int] | None
    shortcuts: tuple[str, ...] | None
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StratumStats:
    """One column of Table 1, for `S1` or `all`: means over tasks.

    Active edges, and distractors of both kinds, are also told by the first axis.

    The ratio is #valid / (D_node + D_edge) in percent, `None` where no task has distractors; the
    search space counts combinations of one candidate a node, and candidates include the seeds.

    The fewest are those of the task that has least; what fits the wishes of a node is counted for
    the node that has least, solutions included. `solved` has, by the first axis, the share of tasks
    that each shortcut solves, and `any` of them. Tasks of an earlier version tell neither.
    """

    stratum: str
    tasks: int
    nodes: int
    edge_types: int
    active_edges: Mapping[str, float]
    solutions: Spread
    node_distractors: float
    edge_distractors: float
    distractors: Mapping[str, float]
    distractor_ratio_percent: float | None
    raw_search_space: float
    candidates_per_node: Spread
    fewest_active_edges: int
    fewest_edge_distractors: int
    fewest_fitting: int | None
    solved: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Distribution:
    """How many tasks have each value of a property."""

    property: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PaperComparison:
    """A figure that the paper states, and the benchmark's own.

    `said` is the paper's number as it puts it, at the place `where`; the benchmark has none of a
    stratum or a group without tasks.
    """

    figure: str
    stratum: str
    group: str | None
    paper: float
    said: str
    where: str
    here: float | None


@dataclass(frozen=True, slots=True)
class BenchmarkStats:
    """Table 1, a column for each stratum and one for all, and Figure 8; what the paper states."""

    table: tuple[StratumStats, ...]
    distributions: tuple[Distribution, ...]
    paper: tuple[PaperComparison, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the form that `tasks --stats --json` prints."""
        return asdict(self)


def describe_benchmark(bench: Benchmark) -> BenchmarkStats:
    """Return the statistics of a benchmark; its tasks are gone through one by one.

    Raises:
        BenchmarkError: the benchmark is damaged.
    """
    ids = [entry.id for entry in bench.manifest.tasks]
    with bench.reading() as connection:
        for start in range(0, len(ids), _AT_ONCE):
            bench.check_provenance(connection, ids[start : start + _AT_ONCE])
        found = connection.execute(
            "SELECT task_id, list(size ORDER BY node) FROM (SELECT task_id, node, count(*) AS size "
            "FROM sealed.provenance GROUP BY task_id, node) GROUP BY task_id"
        ).fetchall()
    candidates = {task_id: tuple(sizes) for task_id, sizes in found}
    axis = bench.card.first_axis
    figures = [
        TaskNumbers(
            stratum=task.stratum,
            group=ALL if axis is None else str(task.axes[axis.name]),
            solutions=task.spec.certificate.sql,
            node_distractors=task.spec.node_distractors,
            edge_distractors=task.spec.edge_distractors,
            active_edges=len(task.spec.active_edges),
            edge_types=frozenset(edge.name for edge in task.graph.edge_constraints),
            candidates=candidates.get(task.id, ()),
            fitting=task.spec.fitting,
            shortcuts=task.spec.shortcuts,
            properties=tuple(item.read(task.request) for item in task.domain.properties),
        )
        for task in bench
    ]
    strata = sorted({one.stratum for one in figures})
    table = (
        *(_column(f"S{one}", [task for task in figures if task.stratum == one]) for one in strata),
        _column("all", figures),
    )
    distributions = []
    for place, item in enumerate(bench.domain.properties):
        counts = Counter(one.properties[place] for one in figures)
        order = dict.fromkeys([*item.values, *sorted(counts)])
        distributions.append(Distribution(item.name, {value: counts[value] for value in order}))
    return BenchmarkStats(table, tuple(distributions), tuple(_beside_paper(bench.domain, table)))


def _beside_paper(domain: Domain, table: Sequence[StratumStats]) -> Iterator[PaperComparison]:
    """Yield what the domain's paper states, if it is from one, beside what a benchmark has."""
    publication = domain.declaration.publication
    columns = {column.stratum: column for column in table}
    for one in () if publication is None else publication.figures:
        column = columns.get(one.stratum)
        here = None if column is None else _figure(one, column, domain)
        place = one.stratum, one.group, one.value, one.said, one.where
        yield PaperComparison(one.measure.value, *place, here)


def _figure(one: PublishedFigure, column: StratumStats, domain: Domain) -> float | None:
    registry = domain.with_toolset(Toolset.PARITY).registry()
    match one.measure:
        case FigureKind.TASKS:
            return column.tasks
        case FigureKind.NODES:
            return column.nodes
        case FigureKind.EDGE_TYPES:
            return column.edge_types
        case FigureKind.ACTIVE_EDGES:
            return column.active_edges.get(one.group or ALL)
        case FigureKind.DISTRACTORS:
            return column.distractors.get(one.group or ALL)
        case FigureKind.DISTRACTOR_RATIO:
            return column.distractor_ratio_percent
        case FigureKind.COMBINATIONS:
            return column.raw_search_space
        case FigureKind.AGENT_TOOLS:
            return len(registry.names(Owner.AGENT))
        case FigureKind.USER_TOOLS:
            return len(registry.names(Owner.USER))
        case FigureKind.AGENT_CATEGORIES:
            return len({tool.category for tool in registry.tools(Owner.AGENT)})
        case FigureKind.USER_CATEGORIES:
            return len({tool.category for tool in registry.tools(Owner.USER)})
        case FigureKind.WINDOW:
            return _days(domain.declaration.window, one.group)


def _days(window: Window | None, group: str | None) -> float | None:
    """Return how many days a window has, by what the axis that takes turns over them calls it."""
    if window is None or window.axis is None:
        return None
    return {str(name): days for name, days in width_names(window, window.axis).items()}.get(
        group or ALL
    )


def paper_cells(one: PaperComparison, axis: AxisCard | None) -> tuple[str, str, str, str]:
    """Return what a page says of a figure: its name, the paper's, the benchmark's, and where."""
    about = [one.figure]
    if one.stratum != "all":
        about.append(one.stratum)
    if one.group is not None and axis is not None:
        about.append(axis.phrase(one.group))
    here = "-"
    if one.here is not None:
        is_whole = one.here == int(one.here)
        here = f"{one.here:,.0f}" if is_whole and one.here < 1e6 else f"{one.here:.4g}"
    return ", ".join(about), one.said, here, one.where


def edge_rows(axis: AxisCard | None) -> dict[str, str]:
    """Return the titles of Table 1's rows of active edges, by the group of tasks they are about."""
    return _rows_of(label("active_edges"), axis)


def _rows_of(title: str, axis: AxisCard | None) -> dict[str, str]:
    """Return the titles of rows that each are about a group of tasks, by the group."""
    if axis is None:
        return {ALL: title}
    return {str(value): f"{title}, {axis.phrase(value)}" for value in axis.values}


def table_cells(one: StratumStats, axis: AxisCard | None) -> list[tuple[str, str]]:
    """Return what Table 1 says of a stratum: the name of each row, and its text.

    The axis is the first one of the domain.
    """
    ratio = one.distractor_ratio_percent
    return [
        (label("tasks"), f"{one.tasks:,}"),
        (label("nodes"), str(one.nodes)),
        (label("edge_types"), str(one.edge_types)),
        *(
            (title, f"{one.active_edges[group]:.2f}" if group in one.active_edges else "-")
            for group, title in edge_rows(axis).items()
        ),
        (label("valid_solutions"), str(one.solutions)),
        (label("node_distractors"), f"{one.node_distractors:,.1f}"),
        (label("edge_distractors"), f"{one.edge_distractors:,.1f}"),
        (label("distractor_ratio"), "-" if ratio is None else f"{ratio:.2f}"),
        (label("combinations"), told_roughly(one.raw_search_space)),
        (label("candidates"), str(one.candidates_per_node)),
        (label("fewest_active_edges"), str(one.fewest_active_edges)),
        (label("fewest_edge_distractors"), f"{one.fewest_edge_distractors:,}"),
        (label("fewest_fitting"), "-" if one.fewest_fitting is None else str(one.fewest_fitting)),
        *(
            (title, f"{one.solved[group][ANY]:.0%}" if group in one.solved else "-")
            for group, title in _rows_of(label("solved_by_shortcut"), axis).items()
        ),
    ]


def _column(name: str, figures: Sequence[TaskNumbers]) -> StratumStats:
    ratios = [
        100 * one.solutions / (one.node_distractors + one.edge_distractors)
        for one in figures
        if one.node_distractors + one.edge_distractors
    ]
    groups = dict.fromkeys(one.group for one in figures)
    return StratumStats(
        stratum=name,
        tasks=len(figures),
        nodes=max(len(one.candidates) for one in figures),
        edge_types=len(frozenset[str]().union(*(one.edge_types for one in figures))),
        active_edges={
            group: fmean(one.active_edges for one in figures if one.group == group)
            for group in groups
        },
        solutions=_spread([one.solutions for one in figures]),
        node_distractors=fmean(one.node_distractors for one in figures),
        edge_distractors=fmean(one.edge_distractors for one in figures),
        distractors={
            group: fmean(
                one.node_distractors + one.edge_distractors for one in figures if one.group == group
            )
            for group in groups
        },
        distractor_ratio_percent=fmean(ratios) if ratios else None,
        raw_search_space=fmean(math.prod(one.candidates) for one in figures),
        candidates_per_node=_spread([size for one in figures for size in one.candidates]),
        fewest_active_edges=min(one.active_edges for one in figures),
        fewest_edge_distractors=min(one.edge_distractors for one in figures),
        fewest_fitting=min(
            (least for one in figures for least in (one.fitting or {}).values()), default=None
        ),
        solved={
            group: shares
            for group in groups
            if (shares := _shares([one.shortcuts for one in figures if one.group == group]))
        },
    )


def _shares(solved: Sequence[tuple[str, ...] | None]) -> dict[str, float]:
    """Return the share of tasks that each shortcut solves, where the tasks tell."""
    known = [names for names in solved if names is not None]
    if not known:
        return {}
    shares = {str(one): fmean(one in names for names in known) for one in Shortcut}
    return {**shares, ANY: fmean(bool(names) for names in known)}


def _spread(numbers: Sequence[int]) -> Spread:
    return Spread(fmean(numbers), min(numbers), max(numbers))
