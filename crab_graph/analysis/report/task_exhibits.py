"""What the tasks of a report are: the paper's Table 1 and Figure 8."""

from collections.abc import Iterator, Sequence

from crab_graph.analysis.benchmark_stats import BenchmarkStats, StratumStats, describe_benchmark
from crab_graph.analysis.report.exhibit import (
    Cell,
    Chart,
    Exhibit,
    Head,
    Point,
    count_cell,
    number_cell,
    rows_of,
    text_cell,
)
from crab_graph.analysis.report.study import StudiedRun, Study

_DIGITS = 2


def benchmarks(study: Study) -> list[Exhibit]:
    """Return Table 1 and Figure 8 of each benchmark that the runs were made on."""
    described = list(_described(study))
    found = []
    for number, (run, stats) in enumerate(described, start=1):
        name = "" if len(described) == 1 else f" of {run.name}"
        suffix = "" if len(described) == 1 else f"-{number}"
        found += [_table(stats, name, suffix), _distributions(stats, name, suffix)]
    return found


def _described(study: Study) -> Iterator[tuple[StudiedRun, BenchmarkStats]]:
    from crab_graph.domains.benchmark import load_benchmark  # noqa: PLC0415  (loads DuckDB)

    known: set[str] = set()
    for run in study.runs:
        if run.benchmark is None or run.config is None or run.sweep is not None:
            continue
        if run.config.benchmark_sha256 not in known:
            known.add(run.config.benchmark_sha256)
            yield run, describe_benchmark(load_benchmark(run.benchmark))


def _table(stats: BenchmarkStats, name: str, suffix: str) -> Exhibit:
    rows = [
        [text_cell(title), *cells]
        for title, cells in zip(
            _ROWS, zip(*(_column(one) for one in stats.table), strict=True), strict=True
        )
    ]
    return Exhibit(
        id=f"table-1{suffix}",
        paper="Table 1",
        title=f"The tasks{name}",
        caption="What the tasks consist of, in the mean over those of a stratum. The distractor "
        "ratio is the number of valid solutions over that of distractors.",
        columns=(
            Head("figure", "", is_number=False),
            *(Head(one.stratum, one.stratum) for one in stats.table),
        ),
        rows=rows_of(rows),
    )


_ROWS = (
    "tasks",
    "nodes",
    "types of edges",
    "active edges, fixed dates",
    "active edges, flexible dates",
    "valid solutions",
    "node distractors",
    "edge distractors",
    "distractor ratio, %",
    "candidates for a node",
    "combinations",
)


def _column(one: StratumStats) -> Sequence[Cell]:
    spread = one.solutions
    return (
        count_cell(one.tasks, None if one.stratum == "all" else {"stratum": one.stratum[1:]}),
        count_cell(one.nodes),
        count_cell(one.edge_types),
        number_cell(one.active_edges.get("fixed")),
        number_cell(one.active_edges.get("flexible")),
        Cell(
            f"{spread.mean:,.1f}",
            {"mean": spread.mean, "min": spread.min, "max": spread.max},
            note=f"({spread.min:,.0f}–{spread.max:,.0f})",
        ),
        number_cell(one.node_distractors),
        number_cell(one.edge_distractors),
        number_cell(one.distractor_ratio_percent, _DIGITS),
        number_cell(one.candidates_per_node.mean, 0),
        Cell(f"{one.raw_search_space:.2g}", one.raw_search_space),
    )


def _distributions(stats: BenchmarkStats, name: str, suffix: str) -> Exhibit:
    total = sum(next(iter(stats.distributions)).counts.values()) if stats.distributions else 0
    rows, points = [], []
    for one in stats.distributions:
        title = one.property.replace("_", " ")
        for value, count in one.counts.items():
            share = count / total if total else 0.0
            rows.append(
                (
                    text_cell(title),
                    text_cell(value),
                    count_cell(count),
                    Cell(f"{share:.0%}", share),
                )
            )
            points.append(Point(title, "", "", value, count, n=f"{share:.0%} of {total} tasks"))
    return Exhibit(
        id=f"figure-8{suffix}",
        paper="Figure 8",
        title=f"How the tasks are spread{name}",
        caption="How many tasks have each value of the properties that were balanced.",
        columns=(
            Head("property", "property", is_number=False),
            Head("value", "value", is_number=False),
            Head("tasks", "tasks"),
            Head("share", "share"),
        ),
        rows=rows_of(rows),
        chart=Chart(
            "bar",
            "",
            "tasks",
            tuple(points),
            alt="Bar charts of how many tasks have each value of the balanced properties. The "
            "table below holds their numbers.",
        ),
    )
