"""What the tasks of a report are: the paper's Table 1 and Figure 8."""

from collections.abc import Iterator, Mapping

from crab_graph.analysis.benchmark_stats import (
    BenchmarkStats,
    StratumStats,
    describe_benchmark,
    edge_rows,
)
from crab_graph.analysis.labels import told_roughly
from crab_graph.analysis.report.exhibit import (
    Cell,
    Chart,
    Exhibit,
    Head,
    Point,
    captioned,
    count_cell,
    named_heads,
    number_cell,
    share_cell,
)
from crab_graph.analysis.report.study import StudiedRun, Study
from crab_graph.domain.card import AxisCard
from crab_graph.domains.benchmark import load_benchmark
from crab_graph.terms import label


def benchmarks(study: Study) -> Iterator[Exhibit]:
    """Show Table 1 and Figure 8 of each benchmark that the runs were made on."""
    found: dict[str, tuple[StudiedRun, BenchmarkStats]] = {}
    for run in study.runs:
        if run.benchmark is None or run.config is None or run.sweep is not None:
            continue
        if run.config.benchmark_sha256 not in found:
            stats = describe_benchmark(load_benchmark(run.benchmark))
            found[run.config.benchmark_sha256] = (run, stats)
    for number, (run, stats) in enumerate(found.values(), start=1):
        axis = run.card.first_axis
        name = "" if len(found) == 1 else f" of {run.name}"
        suffix = "" if len(found) == 1 else f"-{number}"
        cells = [_column(one, axis) for one in stats.table]
        yield captioned(
            "table-1",
            id=f"table-1{suffix}",
            name=name,
            columns=(
                Head("figure", "", is_number=False),
                *(Head(one.stratum, one.stratum) for one in stats.table),
            ),
            rows=[(Cell(title), *(one[title] for one in cells)) for title in cells[0]],
        )
        yield _distributions(stats, name, suffix)


def _column(one: StratumStats, axis: AxisCard | None) -> Mapping[str, Cell]:
    where = None if one.stratum == "all" else {"stratum": one.stratum[1:]}
    mean, least, most = one.solutions.mean, one.solutions.min, one.solutions.max
    solutions = {"mean": mean, "min": least, "max": most}
    spread = f"({least:,.0f}–{most:,.0f})"
    return {
        label("tasks"): count_cell(one.tasks, where),
        label("nodes"): count_cell(one.nodes),
        label("edge_types"): count_cell(one.edge_types),
        **{
            title: number_cell(one.active_edges.get(group))
            for group, title in edge_rows(axis).items()
        },
        label("valid_solutions"): Cell(f"{mean:,.1f}", solutions, note=spread),
        label("node_distractors"): number_cell(one.node_distractors),
        label("edge_distractors"): number_cell(one.edge_distractors),
        label("distractor_ratio"): number_cell(one.distractor_ratio_percent, digits=2),
        label("candidates"): number_cell(one.candidates_per_node.mean, digits=0),
        label("combinations"): Cell(told_roughly(one.raw_search_space), one.raw_search_space),
    }


def _distributions(stats: BenchmarkStats, name: str, suffix: str) -> Exhibit:
    total = stats.table[-1].tasks
    rows, points = [], []
    for one in stats.distributions:
        title = one.property.replace("_", " ")
        for value, count in one.counts.items():
            share = share_cell(count / total)
            rows.append((Cell(title), Cell(value), count_cell(count), share))
            points.append(Point(title, "", "", value, count, n=f"{share.text} of {total} tasks"))
    return captioned(
        "figure-8",
        id=f"figure-8{suffix}",
        name=name,
        columns=(
            *named_heads("property", "value", is_number=False),
            *named_heads("tasks", "share"),
        ),
        rows=rows,
        chart=Chart("bar", "", label("tasks"), points),
    )
