"""How `tasks --stats` shows a benchmark: the paper's Table 1 and Figure 8."""

from typing import TYPE_CHECKING

from crab_graph.cli.output import console

if TYPE_CHECKING:
    from crab_graph.analysis.benchmark_stats import (
        BenchmarkStats,
        Distribution,
        Spread,
        StratumStats,
    )

_BAR = 30


def print_stats(stats: "BenchmarkStats") -> None:
    """Print Table 1 with a column for each stratum, then a bar for each value of each property."""
    from rich.table import Table

    table = Table("", box=None, pad_edge=False)
    for column in stats.table:
        table.add_column(column.stratum, justify="right")
    for row in zip(*map(_cells, stats.table), strict=True):
        table.add_row(row[0][0], *(text for _, text in row))
    console().print(table)
    print(
        "Numbers are means over tasks (and the least to the greatest); "
        "the distractor ratio is that of valid solutions to distractors."
    )
    for distribution in stats.distributions:
        print()
        _print_bars(distribution, stats.table[-1].tasks)


def _cells(one: "StratumStats") -> list[tuple[str, str]]:
    ratio = one.distractor_ratio_percent
    return [
        ("tasks", f"{one.tasks:,}"),
        ("nodes", str(one.nodes)),
        ("edge types", str(one.edge_types)),
        *(
            (
                f"active edges, {mode} dates",
                f"{one.active_edges[mode]:.2f}" if mode in one.active_edges else "-",
            )
            for mode in ("fixed", "flexible")
        ),
        ("valid solutions", _spread(one.solutions)),
        ("node distractors", f"{one.node_distractors:,.1f}"),
        ("edge distractors", f"{one.edge_distractors:,.1f}"),
        ("distractor ratio", "-" if ratio is None else f"{ratio:.2f} %"),
        ("raw search space", f"{one.raw_search_space:.2e}"),
        ("candidates per node", _spread(one.candidates_per_node)),
    ]


def _spread(one: "Spread") -> str:
    return f"{one.mean:,.1f} ({one.min:,.0f}-{one.max:,.0f})"


def _print_bars(distribution: "Distribution", tasks: int) -> None:
    from rich.table import Table

    table = Table(distribution.property, "", box=None, pad_edge=False)
    table.add_column("tasks", justify="right")
    table.add_column("share", justify="right")
    most = max(distribution.counts.values(), default=0) or 1
    for value, count in distribution.counts.items():
        table.add_row(value, "█" * round(_BAR * count / most), str(count), f"{count / tasks:.0%}")
    console().print(table)
