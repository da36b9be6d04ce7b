"""How `tasks --stats` shows a benchmark: the paper's Table 1 and Figure 8."""

from typing import TYPE_CHECKING

from crab_graph.cli.output import console

if TYPE_CHECKING:
    from crab_graph.analysis.benchmark_stats import BenchmarkStats, Distribution

_BAR = 30


def print_stats(stats: "BenchmarkStats") -> None:
    """Print Table 1 with a column for each stratum, then a bar for each value of each property."""
    from rich.table import Table

    from crab_graph.analysis.benchmark_stats import table_cells

    table = Table("", box=None, pad_edge=False)
    for column in stats.table:
        table.add_column(column.stratum, justify="right")
    for row in zip(*map(table_cells, stats.table), strict=True):
        table.add_row(row[0][0], *(text for _, text in row))
    console().print(table)
    print(
        "Numbers are means over tasks (and the least to the greatest); "
        "the distractor ratio is that of valid solutions to distractors."
    )
    for distribution in stats.distributions:
        print()
        _print_bars(distribution, stats.table[-1].tasks)


def _print_bars(distribution: "Distribution", tasks: int) -> None:
    from rich.table import Table

    table = Table(distribution.property, "", box=None, pad_edge=False)
    table.add_column("tasks", justify="right")
    table.add_column("share", justify="right")
    most = max(distribution.counts.values(), default=0) or 1
    for value, count in distribution.counts.items():
        table.add_row(value, "█" * round(_BAR * count / most), str(count), f"{count / tasks:.0%}")
    console().print(table)
